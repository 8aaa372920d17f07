//! A value of a scene file that is either there or in a file that is named.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The name of a file, or the value itself.
pub(super) enum FileOr<T> {
    File(String),
    Here(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FileOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FileOrVisitor(PhantomData))
    }
}

struct FileOrVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FileOrVisitor<T> {
    type Value = FileOr<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the path of a file, or the numbers themselves")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FileOr<T>, E> {
        Ok(FileOr::File(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileOr<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(FileOr::Here)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<FileOr<T>, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(FileOr::Here)
    }
}

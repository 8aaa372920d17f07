//! Parts that several structures share: each is written once, and shared again when it is read.
//!
//! To be named in `#[serde(with = "crate::saved::shared")]`. A part that comes first is a 0 and the
//! part; one that came before is its number plus 1.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{with_loading, with_saving};

pub(crate) fn serialize<V: Shared, S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

pub(crate) fn deserialize<'de, V: Shared, D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error> {
    V::read(deserializer)
}

/// A value made of shared parts.
pub(crate) trait Shared: Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// A part as it is written.
struct Written<'a, T: ?Sized>(&'a Arc<T>);

impl<T: Serialize + ?Sized + 'static> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = (Arc::as_ptr(self.0).cast::<()>() as usize, TypeId::of::<T>());
        match with_saving(|saving| saving.shared.get(&key).copied())? {
            Some(number) => (number + 1, None::<&T>).serialize(serializer),
            None => (0u32, Some(Complete(&**self.0, key))).serialize(serializer),
        }
    }
}

/// A part that is numbered once it is written.
struct Complete<'a, T: ?Sized>(&'a T, (usize, TypeId));

impl<T: Serialize + ?Sized> Serialize for Complete<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let done = self.0.serialize(serializer)?;
        with_saving(|saving| saving.shared.insert(self.1, saving.shared.len() as u32))?;
        Ok(done)
    }
}

/// A part as it is read.
struct Read<T: ?Sized>(Arc<T>);

impl<'de, T: ?Sized + 'static> Deserialize<'de> for Read<T>
where
    Box<T>: DeserializeOwned,
    Arc<T>: From<Box<T>>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let part: Arc<T> = match <(u32, Option<Box<T>>)>::deserialize(deserializer)? {
            (0, Some(part)) => {
                let part = Arc::from(part);
                let kept: Box<dyn Any> = Box::new(Arc::clone(&part));
                with_loading(|loading| {
                    loading.shared.push(kept);
                    Some(())
                })?;
                part
            }
            (number, None) if number > 0 => {
                with_loading(|loading| loading.shared.get(number as usize - 1)?.downcast_ref::<Arc<T>>().cloned())?
            }
            _ => return Err(D::Error::custom("a shared part is there twice, or not at all")),
        };
        Ok(Self(part))
    }
}

impl<T: Serialize + ?Sized + 'static> Shared for Arc<T>
where
    Box<T>: DeserializeOwned,
    Self: From<Box<T>>,
{
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written(self).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Read::deserialize(deserializer)?.0)
    }
}

impl<T: Serialize + ?Sized + 'static> Shared for Option<Arc<T>>
where
    Box<T>: DeserializeOwned,
    Arc<T>: From<Box<T>>,
{
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Written).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Read<T>>::deserialize(deserializer)?.map(|read| read.0))
    }
}

impl<T: Serialize + ?Sized + 'static> Shared for [Arc<T>; 2]
where
    Box<T>: DeserializeOwned,
    Arc<T>: From<Box<T>>,
{
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.each_ref().map(Written).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(<[Read<T>; 2]>::deserialize(deserializer)?.map(|read| read.0))
    }
}

impl<K, T: Serialize + ?Sized + 'static> Shared for BTreeMap<K, Arc<T>>
where
    K: Serialize + DeserializeOwned + Ord,
    Box<T>: DeserializeOwned,
    Arc<T>: From<Box<T>>,
{
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, part)| (key, Written(part))))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = BTreeMap::<K, Read<T>>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|(key, part)| (key, part.0)).collect())
    }
}

//! Which code is compiled: conditions of `#[cfg]`, for the tests of the recipe.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// Features of the library that the recipe builds with, besides those of its dev-dependency on
/// itself.
pub const FEATURES: [&str; 6] = ["simd", "record", "serde", "scenes", "unstable", "default"];

/// Whether `attrs` take the item out of the build, or mark it as a test.
pub fn is_off(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("test")
            || (attr.path().is_ident("cfg") && attr.parse_args::<Meta>().is_ok_and(|meta| !holds(&meta)))
    })
}

/// Whether the features that `meta` names are all built. What is not understood holds.
pub fn holds(meta: &Meta) -> bool {
    match meta {
        Meta::Path(path) => !(path.is_ident("test") || path.is_ident("doctest") || path.is_ident("docsrs")),
        Meta::NameValue(pair) if pair.path.is_ident("feature") => match &pair.value {
            Expr::Lit(lit) => matches!(&lit.lit, Lit::Str(name) if FEATURES.contains(&name.value().as_str())),
            _ => true,
        },
        Meta::NameValue(pair) if pair.path.is_ident("target_arch") => match &pair.value {
            Expr::Lit(lit) => matches!(&lit.lit, Lit::Str(name) if name.value() == std::env::consts::ARCH),
            _ => true,
        },
        Meta::List(list) => {
            let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return true };
            if list.path.is_ident("not") {
                !parts.iter().any(holds)
            } else if list.path.is_ident("any") {
                parts.iter().any(holds)
            } else {
                parts.iter().all(holds)
            }
        }
        Meta::NameValue(_) => true,
    }
}

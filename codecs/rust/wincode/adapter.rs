//! wincode by its own derived traits.

use crate::domain::Root;
use serbench::{Derived, Result};
use wincode::config::{self, Config, Configuration};

pub struct Wincode;

/// It makes room for 64 MiB of items at once, in place of 4, which a mesh of some 90,000 triangles exceeds.
const fn configuration() -> impl Config {
    Configuration::default().with_preallocation_size_limit::<{ 64 << 20 }>()
}

impl Derived for Wincode {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(config::serialize_into(buffer, root, configuration())?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(config::deserialize(bytes, configuration())?)
    }
}

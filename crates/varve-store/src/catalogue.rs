//! The catalogue: objects that only SQL understands, and the schemas of trees, as one immutable
//! value. A change makes a new one; snapshots keep theirs.

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{ObjectId, Result, TreeId, TreeSchema};

use crate::tree::Tree;

/// A catalogue object: its version and its definition.
pub(crate) type Object = (u32, Arc<[u8]>);

/// All objects and trees after one commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Catalogue {
    /// The sequence of the last commit that changed it; 0 for the empty catalogue of a new store.
    pub(crate) version: u64,
    pub(crate) objects: VecMap<ObjectId, Object>,
    pub(crate) trees: VecMap<TreeId, Arc<Tree>>,
}

/// One state of the catalogue.
#[derive(Clone, Debug)]
pub struct CatalogueState {
    pub(crate) catalogue: Arc<Catalogue>,
}

impl CatalogueState {
    /// Whether nothing has changed between the two.
    pub fn is_same(&self, other: &CatalogueState) -> bool {
        Arc::ptr_eq(&self.catalogue, &other.catalogue)
    }
}

/// One change of the catalogue, as it is logged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CatalogueChange {
    PutObject(ObjectId, u32, Arc<[u8]>),
    DeleteObject(ObjectId),
    CreateTree(TreeSchema),
    DropTree(TreeId),
}

impl Catalogue {
    pub(crate) fn apply(&mut self, change: &CatalogueChange) -> Result<()> {
        match change {
            CatalogueChange::PutObject(id, version, definition) => {
                self.objects.insert(*id, (*version, Arc::clone(definition)));
            }
            CatalogueChange::DeleteObject(id) => {
                self.objects.remove(id);
            }
            CatalogueChange::CreateTree(schema) => {
                let tree = Tree::new(schema.clone())?;
                self.trees.insert(schema.tree, Arc::new(tree));
            }
            CatalogueChange::DropTree(tree) => {
                self.trees.remove(tree);
            }
        }
        Ok(())
    }

    /// The ids after the greatest ones in use: of objects, of trees.
    pub(crate) fn next_ids(&self) -> (u64, u64) {
        let object = self.objects.last_key_value().map_or(0, |(id, _)| id.0);
        let tree = self.trees.last_key_value().map_or(0, |(id, _)| id.0);
        (object.saturating_add(1), tree.saturating_add(1))
    }
}

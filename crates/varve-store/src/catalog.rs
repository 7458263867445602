//! The catalog: objects that only SQL understands, and the schemas of trees, as one immutable
//! value. A change makes a new one; snapshots keep theirs.

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{ObjectId, TreeId, TreeSchema};

use crate::content_tree::{self, TREE};
use crate::error::Result;
use crate::tree::Tree;

/// A catalog object: its version and its definition.
pub(crate) type Object = (u32, Arc<[u8]>);

/// All objects and trees after one commit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Catalog {
    /// The sequence of the last commit that changed it; 0 for the empty catalog of a new store.
    pub(crate) version: u64,
    pub(crate) objects: VecMap<ObjectId, Object>,
    pub(crate) trees: VecMap<TreeId, Arc<Tree>>,
    /// The tree of content, which every store has and nobody creates.
    pub(crate) content: Arc<Tree>,
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog {
            version: 0,
            objects: VecMap::new(),
            trees: VecMap::new(),
            content: content_tree::tree(),
        }
    }
}

/// The definition of an object before and after a change.
pub type ObjectChange = (Option<Arc<[u8]>>, Option<Arc<[u8]>>);

/// One state of the catalog.
#[derive(Clone, Debug, Default)]
pub struct CatalogState {
    pub(crate) catalog: Arc<Catalog>,
}

impl CatalogState {
    /// Whether nothing has changed between the two.
    pub fn is_same(&self, other: &CatalogState) -> bool {
        Arc::ptr_eq(&self.catalog, &other.catalog)
    }

    /// The definitions of the objects that differ from those of an earlier state: as they were
    /// there, and as they are here.
    pub fn changes_since(&self, earlier: &CatalogState) -> Vec<ObjectChange> {
        let mut changes = Vec::new();
        let mut before = earlier.catalog.objects.iter().peekable();
        for (id, (_, definition)) in &self.catalog.objects {
            while let Some((_, (_, gone))) = before.next_if(|(known, _)| *known < id) {
                changes.push((Some(Arc::clone(gone)), None));
            }
            match before.next_if(|(known, _)| *known == id) {
                Some((_, (_, known))) if Arc::ptr_eq(known, definition) => {}
                known => {
                    let known = known.map(|(_, (_, known))| Arc::clone(known));
                    changes.push((known, Some(Arc::clone(definition))));
                }
            }
        }
        changes.extend(before.map(|(_, (_, gone))| (Some(Arc::clone(gone)), None)));
        changes
    }
}

/// One change of the catalog, as it is logged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CatalogChange {
    PutObject(ObjectId, u32, Arc<[u8]>),
    DeleteObject(ObjectId),
    CreateTree(TreeSchema),
    DropTree(TreeId),
}

impl Catalog {
    /// A tree, that of content included.
    pub(crate) fn tree(&self, id: TreeId) -> Option<&Arc<Tree>> {
        match id {
            TREE => Some(&self.content),
            id => self.trees.get(&id),
        }
    }

    /// All trees by id, that of content included.
    pub(crate) fn all_trees(&self) -> impl Iterator<Item = (TreeId, &Arc<Tree>)> {
        let trees = self.trees.iter().map(|(id, tree)| (*id, tree));
        core::iter::once((TREE, &self.content)).chain(trees)
    }

    pub(crate) fn apply(&mut self, change: &CatalogChange) -> Result<()> {
        match change {
            CatalogChange::PutObject(id, version, definition) => {
                self.objects.insert(*id, (*version, Arc::clone(definition)));
            }
            CatalogChange::DeleteObject(id) => {
                self.objects.remove(id);
            }
            CatalogChange::CreateTree(schema) => {
                let tree = Tree::new(schema.clone())?;
                self.trees.insert(schema.tree, Arc::new(tree));
            }
            CatalogChange::DropTree(tree) => {
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

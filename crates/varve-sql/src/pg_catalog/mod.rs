//! `pg_catalog` and `information_schema`: views whose rows are made from the catalogue when they
//! are read.

mod answers;
mod constraints;
mod definitions;
mod information;
mod reg;
mod relations;
mod types;

use varve_types::{ArrayValue, ElementType, LogicalType, Value};

use crate::plan::Field;
use crate::schema::Catalog;

/// A view of the catalogue.
pub(crate) struct CatalogView {
    schema: &'static str,
    name: &'static str,
    /// The columns: names, each with a letter for its type before it; see [`column_type`].
    columns: &'static str,
    /// Its rows; columns that they do not have are NULL.
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
}

const fn view(
    schema: &'static str,
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView {
        schema,
        name,
        columns,
        rows,
    }
}

const fn pg(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    view("pg_catalog", name, columns, rows)
}

const fn info(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    view("information_schema", name, columns, rows)
}

fn none(_: &Catalog) -> Vec<Vec<Value>> {
    Vec::new()
}

static VIEWS: &[CatalogView] = &[
    pg(
        "pg_namespace",
        "ooid tnspname onspowner",
        relations::namespaces,
    ),
    pg(
        "pg_class",
        "ooid trelname orelnamespace oreltype orelowner orelam freltuples irelpages brelhasindex \
         brelisshared trelpersistence trelkind srelnatts srelchecks brelhasrules brelhastriggers \
         brelhassubclass brelrowsecurity brelforcerowsecurity brelispopulated trelreplident \
         brelispartition oreltoastrelid oreltablespace oreloftype",
        relations::classes,
    ),
    pg(
        "pg_attribute",
        "oattrelid tattname oatttypid sattlen sattnum iatttypmod battnotnull batthasdef \
         tattidentity tattgenerated battisdropped battislocal iattndims oattcollation \
         batthasmissing sattinhcount",
        relations::attributes,
    ),
    pg(
        "pg_attrdef",
        "ooid oadrelid sadnum tadbin",
        relations::defaults,
    ),
    pg(
        "pg_index",
        "oindexrelid oindrelid sindnatts sindnkeyatts bindisunique bindnullsnotdistinct \
         bindisprimary bindisexclusion bindimmediate bindisclustered bindisvalid bindisready \
         bindislive bindisreplident Sindkey Sindoption tindexprs tindpred",
        relations::indexes,
    ),
    pg(
        "pg_constraint",
        "ooid tconname oconnamespace tcontype bcondeferrable bcondeferred bconvalidated oconrelid \
         ocontypid oconindid oconparentid oconfrelid tconfupdtype tconfdeltype tconfmatchtype \
         bconislocal sconinhcount bconnoinherit Sconkey Sconfkey tconbin",
        constraints::rows,
    ),
    pg(
        "pg_type",
        "ooid ttypname otypnamespace otypowner styplen btypbyval ttyptype ttypcategory \
         btypispreferred btypisdefined ttypdelim otyprelid otypelem otyparray btypnotnull \
         otypbasetype ityptypmod itypndims otypcollation ttypdefault",
        types::types,
    ),
    pg(
        "pg_sequence",
        "oseqrelid oseqtypid lseqstart lseqincrement lseqmax lseqmin lseqcache bseqcycle",
        relations::sequences,
    ),
    pg(
        "pg_tables",
        "tschemaname ttablename ttableowner ttablespace bhasindexes bhasrules bhastriggers \
         browsecurity",
        definitions::tables,
    ),
    pg(
        "pg_views",
        "tschemaname tviewname tviewowner tdefinition",
        definitions::views,
    ),
    pg(
        "pg_matviews",
        "tschemaname tmatviewname tmatviewowner ttablespace bhasindexes bispopulated tdefinition",
        definitions::materialized_views,
    ),
    pg(
        "pg_indexes",
        "tschemaname ttablename tindexname ttablespace tindexdef",
        definitions::index_definitions,
    ),
    pg(
        "pg_sequences",
        "tschemaname tsequencename tsequenceowner tdata_type lstart_value lmin_value lmax_value \
         lincrement_by bcycle lcache_size llast_value",
        definitions::sequence_definitions,
    ),
    pg(
        "pg_database",
        "ooid tdatname odatdba iencoding tdatcollate tdatctype bdatistemplate bdatallowconn",
        types::databases,
    ),
    pg(
        "pg_roles",
        "ooid trolname brolsuper brolinherit brolcreaterole brolcreatedb brolcanlogin \
         brolreplication irolconnlimit brolbypassrls",
        types::roles,
    ),
    pg("pg_am", "ooid tamname tamtype", types::access_methods),
    pg(
        "pg_collation",
        "ooid tcollname ocollnamespace ocollowner tcollprovider",
        types::collations,
    ),
    pg(
        "pg_extension",
        "ooid textname oextowner oextnamespace textversion",
        none,
    ),
    pg(
        "pg_enum",
        "ooid oenumtypid fenumsortorder tenumlabel",
        types::enum_labels,
    ),
    pg(
        "pg_description",
        "oobjoid oclassoid iobjsubid tdescription",
        none,
    ),
    pg(
        "pg_depend",
        "oclassid oobjid iobjsubid orefclassid orefobjid irefobjsubid tdeptype",
        none,
    ),
    pg(
        "pg_trigger",
        "ooid otgrelid ttgname otgfoid stgtype ttgenabled btgisinternal otgconstraint",
        none,
    ),
    pg(
        "pg_inherits",
        "oinhrelid oinhparent iinhseqno binhdetachpending",
        none,
    ),
    pg(
        "pg_rewrite",
        "ooid trulename oev_class tev_type tev_enabled",
        none,
    ),
    pg(
        "pg_policy",
        "ooid tpolname opolrelid tpolcmd bpolpermissive",
        none,
    ),
    pg(
        "pg_proc",
        "ooid tproname opronamespace oproowner oprolang tprokind bproretset spronargs oprorettype \
         tprosrc tprovolatile",
        none,
    ),
    info(
        "schemata",
        "tcatalog_name tschema_name tschema_owner",
        information::schemata,
    ),
    info(
        "tables",
        "ttable_catalog ttable_schema ttable_name ttable_type tis_insertable_into tis_typed",
        information::tables,
    ),
    info(
        "columns",
        "ttable_catalog ttable_schema ttable_name tcolumn_name iordinal_position tcolumn_default \
         tis_nullable tdata_type icharacter_maximum_length icharacter_octet_length \
         inumeric_precision inumeric_precision_radix inumeric_scale idatetime_precision \
         tudt_catalog tudt_schema tudt_name tis_identity tidentity_generation tis_generated \
         tgeneration_expression tis_updatable tcollation_name tdomain_name",
        information::columns,
    ),
    info(
        "table_constraints",
        "tconstraint_catalog tconstraint_schema tconstraint_name ttable_catalog ttable_schema \
         ttable_name tconstraint_type tis_deferrable tinitially_deferred tenforced",
        information::table_constraints,
    ),
    info(
        "key_column_usage",
        "tconstraint_catalog tconstraint_schema tconstraint_name ttable_catalog ttable_schema \
         ttable_name tcolumn_name iordinal_position iposition_in_unique_constraint",
        information::key_column_usage,
    ),
    info(
        "constraint_column_usage",
        "ttable_catalog ttable_schema ttable_name tcolumn_name tconstraint_catalog \
         tconstraint_schema tconstraint_name",
        information::constraint_column_usage,
    ),
    info(
        "check_constraints",
        "tconstraint_catalog tconstraint_schema tconstraint_name tcheck_clause",
        information::check_constraints,
    ),
    info(
        "referential_constraints",
        "tconstraint_catalog tconstraint_schema tconstraint_name tunique_constraint_catalog \
         tunique_constraint_schema tunique_constraint_name tmatch_option tupdate_rule tdelete_rule",
        none,
    ),
    info(
        "views",
        "ttable_catalog ttable_schema ttable_name tview_definition tcheck_option tis_updatable \
         tis_insertable_into",
        information::views,
    ),
    info(
        "sequences",
        "tsequence_catalog tsequence_schema tsequence_name tdata_type inumeric_precision \
         inumeric_precision_radix inumeric_scale tstart_value tminimum_value tmaximum_value \
         tincrement tcycle_option",
        information::sequences,
    ),
    info(
        "routines",
        "tspecific_schema tspecific_name troutine_schema troutine_name troutine_type",
        none,
    ),
    info(
        "triggers",
        "ttrigger_schema ttrigger_name tevent_manipulation tevent_object_schema \
         tevent_object_table taction_statement taction_timing",
        none,
    ),
];

/// The number of the view of a schema and name.
pub(crate) fn catalog_view(schema: &str, name: &str) -> Option<u16> {
    let found = VIEWS
        .iter()
        .position(|view| view.name == name && view.schema == schema);
    found.and_then(|place| u16::try_from(place).ok())
}

/// The OIDs of PostgreSQL's own catalogues that queries ask for by name.
const CATALOG_OIDS: [(&str, u32); 14] = [
    ("pg_class", 1259),
    ("pg_type", 1247),
    ("pg_proc", 1255),
    ("pg_attribute", 1249),
    ("pg_constraint", 2606),
    ("pg_attrdef", 2604),
    ("pg_namespace", 2615),
    ("pg_trigger", 2620),
    ("pg_rewrite", 2618),
    ("pg_index", 2610),
    ("pg_database", 1262),
    ("pg_description", 2609),
    ("pg_extension", 3079),
    ("pg_enum", 3501),
];
/// The first of those of the other views.
const FIRST_VIEW_OID: u32 = 12_000;

/// The OID of a view of the catalogue.
fn view_oid(view: u16) -> u32 {
    let name = VIEWS.get(usize::from(view)).map_or("", |view| view.name);
    let known = CATALOG_OIDS.iter().find(|(known, _)| *known == name);
    known.map_or(FIRST_VIEW_OID + u32::from(view), |(_, number)| *number)
}

/// The columns of a view.
pub(crate) fn catalog_columns(view: u16) -> Vec<Field> {
    let Some(view) = VIEWS.get(usize::from(view)) else {
        return Vec::new();
    };
    let columns = view.columns.split_ascii_whitespace();
    let columns = columns.filter_map(|column| column.split_at_checked(1));
    columns
        .map(|(letter, name)| Field {
            name: name.to_owned(),
            ty: column_type(letter),
        })
        .collect()
}

fn column_type(letter: &str) -> LogicalType {
    match letter {
        "b" => LogicalType::Boolean,
        "f" => LogicalType::Float4,
        "i" => LogicalType::Int4,
        "l" => LogicalType::Int8,
        "o" => LogicalType::Oid,
        "s" => LogicalType::Int2,
        "n" => LogicalType::Name,
        "O" => LogicalType::Array(ElementType::Oid),
        "S" => LogicalType::Array(ElementType::Int2),
        "T" => LogicalType::Array(ElementType::Text),
        _ => LogicalType::Text,
    }
}

/// The rows of a view.
pub fn catalog_rows(view: u16, catalog: &Catalog) -> Vec<Vec<Value>> {
    let width = catalog_columns(view).len();
    let Some(view) = VIEWS.get(usize::from(view)) else {
        return Vec::new();
    };
    let mut rows = (view.rows)(catalog);
    for row in &mut rows {
        row.resize(width, Value::Null);
    }
    rows
}

/// The name of the database and of its owner.
const DATABASE: &str = "varvedb";
const OWNER: &str = "postgres";
/// The OIDs of PostgreSQL's own schemas and role.
const PG_CATALOG_OID: u32 = 11;
const PUBLIC_OID: u32 = 2200;
const TEMPORARY_OID: u32 = 2201;
const INFORMATION_OID: u32 = 13_000;
const OWNER_OID: u32 = 10;

fn text(text: impl AsRef<str>) -> Value {
    Value::text(text.as_ref())
}

fn oid(oid: u32) -> Value {
    Value::Oid(oid)
}

fn yes_or_no(truth: bool) -> Value {
    text(if truth { "YES" } else { "NO" })
}

fn int2(number: usize) -> Value {
    Value::Int2(i16::try_from(number).unwrap_or(i16::MAX))
}

fn int4(number: usize) -> Value {
    Value::Int4(i32::try_from(number).unwrap_or(i32::MAX))
}

fn int2s(numbers: Vec<usize>) -> Value {
    let numbers = numbers.into_iter().map(int2).collect();
    Value::array(&ArrayValue::of(ElementType::Int2, numbers))
}

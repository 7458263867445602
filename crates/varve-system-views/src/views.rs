//! The views of the catalog: names, columns, and what makes their rows.
//!
//! Views of what there is nothing of are there too, for queries of tools that join them.

use varve_catalog::model::catalog::Catalog;
use varve_types::Value;

use crate::{
    CatalogView, comments, constraints, continuous, definitions, functions, information,
    inheritance, relations, timescale, triggers, types,
};

const fn pg(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView::of("pg_catalog", name, columns, rows)
}

const fn info(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView::of("information_schema", name, columns, rows)
}

const fn timescale(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView::of("timescaledb_information", name, columns, rows)
}

const fn internal(
    name: &'static str,
    columns: &'static str,
    rows: fn(&Catalog) -> Vec<Vec<Value>>,
) -> CatalogView {
    CatalogView::of(timescale::SCHEMA, name, columns, rows)
}

fn none(_: &Catalog) -> Vec<Vec<Value>> {
    Vec::new()
}

pub(crate) static VIEWS: &[CatalogView] = &[
    pg(
        "pg_namespace",
        "ooid tnspname onspowner Tnspacl",
        relations::namespaces,
    ),
    pg(
        "pg_class",
        "ooid trelname orelnamespace oreltype orelowner orelam freltuples irelpages \
         brelhasindex brelisshared trelpersistence trelkind srelnatts srelchecks brelhasrules \
         brelhastriggers brelhassubclass brelrowsecurity brelforcerowsecurity brelispopulated \
         trelreplident brelispartition oreltoastrelid oreltablespace oreloftype orelfilenode \
         irelallvisible orelrewrite Trelacl Treloptions trelpartbound",
        relations::classes,
    ),
    pg(
        "pg_attribute",
        "oattrelid tattname oatttypid sattlen sattnum iatttypmod battnotnull batthasdef \
         tattidentity tattgenerated battisdropped battislocal iattndims oattcollation \
         batthasmissing sattinhcount tattalign tattstorage tattcompression iattstattarget \
         Tattacl Tattoptions Tattfdwoptions",
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
         bindislive bindisreplident Sindkey Oindcollation Oindclass Sindoption \
         tindexprs tindpred",
        relations::indexes,
    ),
    pg(
        "pg_constraint",
        "ooid tconname oconnamespace tcontype bcondeferrable bcondeferred bconvalidated \
         oconrelid ocontypid oconindid oconparentid oconfrelid tconfupdtype tconfdeltype \
         tconfmatchtype bconislocal sconinhcount bconnoinherit Sconkey Sconfkey tconbin",
        constraints::rows,
    ),
    pg(
        "pg_type",
        "ooid ttypname otypnamespace otypowner styplen btypbyval ttyptype ttypcategory \
         btypispreferred btypisdefined ttypdelim otyprelid otypelem otyparray btypnotnull \
         otypbasetype ityptypmod itypndims otypcollation ttypdefault ttypstorage ttypalign \
         otypsubscript otypinput otypoutput otypreceive otypsend otypmodin otypmodout Ttypacl",
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
        none,
    )
    .with_texts(definitions::views),
    pg(
        "pg_matviews",
        "tschemaname tmatviewname tmatviewowner ttablespace bhasindexes bispopulated \
         tdefinition",
        none,
    )
    .with_texts(definitions::materialized_views),
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
        "ooid tdatname odatdba iencoding tdatcollate tdatctype bdatistemplate bdatallowconn \
         tdatlocprovider tdaticulocale tdaticurules odattablespace idatconnlimit Tdatacl",
        types::databases,
    ),
    pg(
        "pg_roles",
        "ooid trolname brolsuper brolinherit brolcreaterole brolcreatedb brolcanlogin \
         brolreplication irolconnlimit brolbypassrls Zrolvaliduntil trolpassword Trolconfig",
        types::roles,
    ),
    pg("pg_am", "ooid tamname tamtype", types::access_methods),
    pg(
        "pg_collation",
        "ooid tcollname ocollnamespace ocollowner tcollprovider icollencoding tcollcollate \
         tcollctype tcolliculocale tcollicurules bcollisdeterministic tcollversion",
        types::collations,
    ),
    pg(
        "pg_extension",
        "ooid textname oextowner oextnamespace textversion bextrelocatable Oextconfig \
         Textcondition",
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
        comments::descriptions,
    ),
    pg(
        "pg_depend",
        "oclassid oobjid iobjsubid orefclassid orefobjid irefobjsubid tdeptype",
        none,
    ),
    pg(
        "pg_trigger",
        "ooid otgrelid ttgname otgfoid stgtype ttgenabled btgisinternal otgconstraint \
         otgparentid otgconstrrelid otgconstrindid btgdeferrable btginitdeferred stgnargs \
         Stgattr ttgqual ttgoldtable ttgnewtable",
        none,
    )
    .with_texts(triggers::triggers),
    pg(
        "pg_inherits",
        "oinhrelid oinhparent iinhseqno binhdetachpending",
        inheritance::inherits,
    ),
    pg(
        "pg_rewrite",
        "ooid trulename oev_class tev_type tev_enabled bis_instead tev_qual tev_action",
        none,
    ),
    pg(
        "pg_policy",
        "ooid tpolname opolrelid tpolcmd bpolpermissive Opolroles tpolqual tpolwithcheck",
        none,
    ),
    pg(
        "pg_proc",
        "ooid tproname opronamespace oproowner oprolang fprocost fprorows oprovariadic tprokind \
         bprosecdef bproleakproof bproisstrict bproretset tprovolatile tproparallel spronargs \
         spronargdefaults oprorettype Oproargtypes Oproallargtypes Tproargmodes Tproargnames \
         tproargdefaults tprosrc tprobin tprosqlbody Tproconfig Tproacl",
        functions::functions,
    ),
    info(
        "schemata",
        "tcatalog_name tschema_name tschema_owner tdefault_character_set_catalog \
         tdefault_character_set_schema tdefault_character_set_name tsql_path",
        information::schemata,
    ),
    info(
        "tables",
        "ttable_catalog ttable_schema ttable_name ttable_type tis_insertable_into tis_typed \
         tself_referencing_column_name treference_generation tuser_defined_type_catalog \
         tuser_defined_type_schema tuser_defined_type_name tcommit_action",
        none,
    )
    .with_texts(information::tables),
    info(
        "columns",
        "ttable_catalog ttable_schema ttable_name tcolumn_name iordinal_position \
         tcolumn_default tis_nullable tdata_type icharacter_maximum_length \
         icharacter_octet_length inumeric_precision inumeric_precision_radix inumeric_scale \
         idatetime_precision tudt_catalog tudt_schema tudt_name tis_identity \
         tidentity_generation tis_generated tgeneration_expression tis_updatable \
         tcollation_name tdomain_name tdomain_catalog tdomain_schema tcollation_catalog \
         tcollation_schema tinterval_type iinterval_precision tcharacter_set_catalog \
         tcharacter_set_schema tcharacter_set_name tscope_catalog tscope_schema tscope_name \
         imaximum_cardinality tdtd_identifier tis_self_referencing tidentity_start \
         tidentity_increment tidentity_maximum tidentity_minimum tidentity_cycle",
        none,
    )
    .with_texts(information::columns),
    info(
        "table_constraints",
        "tconstraint_catalog tconstraint_schema tconstraint_name ttable_catalog ttable_schema \
         ttable_name tconstraint_type tis_deferrable tinitially_deferred tenforced \
         tnulls_distinct",
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
         tunique_constraint_schema tunique_constraint_name tmatch_option tupdate_rule \
         tdelete_rule",
        information::referential_constraints,
    ),
    info(
        "views",
        "ttable_catalog ttable_schema ttable_name tview_definition tcheck_option tis_updatable \
         tis_insertable_into tis_trigger_updatable tis_trigger_deletable \
         tis_trigger_insertable_into",
        none,
    )
    .with_texts(information::views),
    info(
        "sequences",
        "tsequence_catalog tsequence_schema tsequence_name tdata_type inumeric_precision \
         inumeric_precision_radix inumeric_scale tstart_value tminimum_value tmaximum_value \
         tincrement tcycle_option",
        information::sequences,
    ),
    info(
        "routines",
        "tspecific_catalog tspecific_schema tspecific_name troutine_catalog troutine_schema \
         troutine_name troutine_type tdata_type ttype_udt_name troutine_body \
         troutine_definition texternal_language tis_deterministic tsecurity_type",
        functions::routines,
    ),
    info(
        "triggers",
        "ttrigger_catalog ttrigger_schema ttrigger_name tevent_manipulation \
         tevent_object_catalog tevent_object_schema tevent_object_table iaction_order \
         taction_condition taction_statement taction_orientation taction_timing",
        none,
    )
    .with_texts(triggers::information_triggers),
    pg(
        "pg_authid",
        "ooid trolname brolsuper brolinherit brolcreaterole brolcreatedb brolcanlogin \
         brolreplication irolconnlimit brolbypassrls Zrolvaliduntil trolpassword Trolconfig",
        types::roles,
    ),
    pg(
        "pg_user",
        "tusename ousesysid busecreatedb busesuper buserepl busebypassrls tpasswd Zvaluntil \
         Tuseconfig",
        types::users,
    ),
    pg(
        "pg_auth_members",
        "ooid oroleid omember ograntor badmin_option binherit_option bset_option",
        none,
    ),
    pg(
        "pg_tablespace",
        "ooid tspcname ospcowner Tspcacl Tspcoptions",
        types::tablespaces,
    ),
    pg(
        "pg_language",
        "ooid tlanname olanowner blanispl blanpltrusted olanplcallfoid olaninline olanvalidator \
         Tlanacl",
        types::languages,
    ),
    pg(
        "pg_settings",
        "tname tsetting tunit tcategory tshort_desc textra_desc tcontext tvartype tsource \
         tmin_val tmax_val Tenumvals tboot_val treset_val tsourcefile isourceline \
         bpending_restart",
        none,
    ),
    pg(
        "pg_prepared_statements",
        "tname tstatement Zprepare_time Tparameter_types Tresult_types bfrom_sql lgeneric_plans \
         lcustom_plans",
        none,
    ),
    pg(
        "pg_cursors",
        "tname tstatement bis_holdable bis_binary bis_scrollable Zcreation_time",
        none,
    ),
    pg("pg_aggregate", "oaggfnoid taggkind saggnumdirectargs", none),
    pg(
        "pg_operator",
        "ooid toprname ooprnamespace ooprowner toprkind boprcanmerge boprcanhash ooprleft \
         ooprright ooprresult ooprcom ooprnegate ooprcode",
        none,
    ),
    pg(
        "pg_opclass",
        "ooid oopcmethod topcname oopcnamespace oopcowner oopcfamily oopcintype bopcdefault \
         oopckeytype",
        types::operator_classes,
    ),
    pg(
        "pg_opfamily",
        "ooid oopfmethod topfname oopfnamespace oopfowner",
        none,
    ),
    pg(
        "pg_amop",
        "ooid oamopfamily oamoplefttype oamoprighttype samopstrategy tamoppurpose oamopopr \
         oamopmethod",
        none,
    ),
    pg(
        "pg_amproc",
        "ooid oamprocfamily oamproclefttype oamprocrighttype samprocnum oamproc",
        none,
    ),
    pg(
        "pg_cast",
        "ooid ocastsource ocasttarget ocastfunc tcastcontext tcastmethod",
        none,
    ),
    pg(
        "pg_conversion",
        "ooid tconname oconnamespace oconowner iconforencoding icontoencoding oconproc \
         bcondefault",
        none,
    ),
    pg(
        "pg_range",
        "orngtypid orngsubtype orngmultitypid orngcollation orngsubopc",
        none,
    ),
    pg(
        "pg_shdescription",
        "oobjoid oclassoid tdescription",
        comments::shared_descriptions,
    ),
    pg(
        "pg_shdepend",
        "odbid oclassid oobjid iobjsubid orefclassid orefobjid tdeptype",
        none,
    ),
    pg(
        "pg_default_acl",
        "ooid odefaclrole odefaclnamespace tdefaclobjtype Tdefaclacl",
        none,
    ),
    pg(
        "pg_partitioned_table",
        "opartrelid tpartstrat spartnatts opartdefid Spartattrs Opartclass Opartcollation \
         tpartexprs",
        inheritance::partitioned,
    ),
    pg(
        "pg_publication",
        "ooid tpubname opubowner bpuballtables bpubinsert bpubupdate bpubdelete bpubtruncate \
         bpubviaroot",
        none,
    ),
    pg(
        "pg_publication_rel",
        "ooid oprpubid oprrelid tprqual Sprattrs",
        none,
    ),
    pg("pg_publication_namespace", "ooid opnpubid opnnspid", none),
    pg(
        "pg_subscription",
        "ooid osubdbid tsubname osubowner bsubenabled",
        none,
    ),
    pg(
        "pg_statistic_ext",
        "ooid ostxrelid tstxname ostxnamespace ostxowner istxstattarget Sstxkeys Tstxkind \
         tstxexprs",
        none,
    ),
    pg(
        "pg_stats",
        "tschemaname ttablename tattname binherited fnull_frac iavg_width fn_distinct",
        none,
    ),
    pg(
        "pg_event_trigger",
        "ooid tevtname tevtevent oevtowner oevtfoid tevtenabled Tevttags",
        none,
    ),
    pg(
        "pg_foreign_data_wrapper",
        "ooid tfdwname ofdwowner ofdwhandler ofdwvalidator Tfdwacl Tfdwoptions",
        none,
    ),
    pg(
        "pg_foreign_server",
        "ooid tsrvname osrvowner osrvfdw tsrvtype tsrvversion Tsrvacl Tsrvoptions",
        none,
    ),
    pg("pg_foreign_table", "oftrelid oftserver Tftoptions", none),
    pg(
        "pg_user_mappings",
        "oumid osrvid tsrvname oumuser tusename Tumoptions",
        none,
    ),
    pg(
        "pg_ts_config",
        "ooid tcfgname ocfgnamespace ocfgowner ocfgparser",
        none,
    ),
    pg(
        "pg_ts_dict",
        "ooid tdictname odictnamespace odictowner odicttemplate tdictinitoption",
        none,
    ),
    pg("pg_ts_parser", "ooid tprsname oprsnamespace", none),
    pg("pg_ts_template", "ooid ttmplname otmplnamespace", none),
    pg("pg_largeobject_metadata", "ooid olomowner Tlomacl", none),
    pg(
        "pg_seclabels",
        "oobjoid oclassoid iobjsubid tobjtype oobjnamespace tobjname tprovider tlabel",
        none,
    ),
    pg(
        "pg_rules",
        "tschemaname ttablename trulename tdefinition",
        none,
    ),
    pg(
        "pg_policies",
        "tschemaname ttablename tpolicyname tpermissive Troles tcmd tqual twith_check",
        none,
    ),
    pg(
        "pg_locks",
        "tlocktype odatabase orelation ipage itransactionid oclassid oobjid iobjsubid ipid \
         tmode bgranted",
        none,
    ),
    pg(
        "pg_prepared_xacts",
        "ttransaction tgid Zprepared towner tdatabase",
        none,
    ),
    pg(
        "pg_stat_activity",
        "odatid tdatname ipid ousesysid tusename tapplication_name tclient_addr Zbackend_start \
         Zxact_start Zquery_start tstate tquery tbackend_type",
        types::activity,
    ),
    pg(
        "pg_stat_user_tables",
        "orelid tschemaname trelname lseq_scan lseq_tup_read lidx_scan lidx_tup_fetch \
         ln_tup_ins ln_tup_upd ln_tup_del ln_live_tup ln_dead_tup Zlast_vacuum Zlast_autovacuum \
         Zlast_analyze",
        definitions::table_statistics,
    ),
    pg(
        "pg_stat_user_indexes",
        "orelid oindexrelid tschemaname trelname tindexrelname lidx_scan lidx_tup_read \
         lidx_tup_fetch",
        definitions::index_statistics,
    ),
    info(
        "constraint_table_usage",
        "ttable_catalog ttable_schema ttable_name tconstraint_catalog tconstraint_schema \
         tconstraint_name",
        information::constraint_table_usage,
    ),
    info(
        "parameters",
        "tspecific_catalog tspecific_schema tspecific_name iordinal_position tparameter_mode \
         tparameter_name tdata_type tudt_name tparameter_default",
        none,
    ),
    info(
        "table_privileges",
        "tgrantor tgrantee ttable_catalog ttable_schema ttable_name tprivilege_type \
         tis_grantable twith_hierarchy",
        information::table_privileges,
    ),
    info(
        "role_table_grants",
        "tgrantor tgrantee ttable_catalog ttable_schema ttable_name tprivilege_type \
         tis_grantable twith_hierarchy",
        information::table_privileges,
    ),
    info("enabled_roles", "trole_name", information::roles),
    info(
        "applicable_roles",
        "tgrantee trole_name tis_grantable",
        none,
    ),
    info(
        "information_schema_catalog_name",
        "tcatalog_name",
        information::catalog_name,
    ),
    info(
        "element_types",
        "tobject_catalog tobject_schema tobject_name tobject_type tcollection_type_identifier \
         tdata_type tudt_schema tudt_name tdtd_identifier",
        none,
    ),
    info(
        "column_udt_usage",
        "tudt_catalog tudt_schema tudt_name ttable_catalog ttable_schema ttable_name \
         tcolumn_name",
        none,
    ),
    info(
        "view_table_usage",
        "tview_catalog tview_schema tview_name ttable_catalog ttable_schema ttable_name",
        none,
    ),
    info(
        "user_defined_types",
        "tuser_defined_type_catalog tuser_defined_type_schema tuser_defined_type_name \
         tuser_defined_type_category",
        none,
    ),
    info(
        "domains",
        "tdomain_catalog tdomain_schema tdomain_name tdata_type icharacter_maximum_length \
         icharacter_octet_length inumeric_precision inumeric_precision_radix inumeric_scale \
         idatetime_precision tdomain_default tudt_catalog tudt_schema tudt_name",
        information::domains,
    ),
    info(
        "domain_constraints",
        "tconstraint_catalog tconstraint_schema tconstraint_name tdomain_catalog tdomain_schema \
         tdomain_name tis_deferrable tinitially_deferred",
        information::domain_constraints,
    ),
    internal("hypertable", timescale::HYPERTABLE, timescale::hypertable),
    internal("chunk", timescale::CHUNK, timescale::chunk),
    timescale(
        "hypertables",
        timescale::HYPERTABLES,
        timescale::hypertables,
    ),
    internal("continuous_agg", continuous::AGG, continuous::agg),
    timescale("continuous_aggregates", continuous::AGGREGATES, none)
        .with_texts(continuous::aggregates),
    timescale("dimensions", timescale::DIMENSIONS, timescale::dimensions),
    timescale("chunks", timescale::CHUNKS, timescale::chunks),
];

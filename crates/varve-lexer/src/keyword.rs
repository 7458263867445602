//! PostgreSQL 16's keywords and what each may name.

/// What a keyword may name without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Everything.
    Unreserved,
    /// Columns, tables, results; no function or type.
    ColumnName,
    /// Functions and types; no column or table.
    FunctionName,
    /// Nothing but labels.
    Reserved,
}

const U: u8 = 0;
const C: u8 = 1;
const T: u8 = 2;
const R: u8 = 3;
/// These name a result only behind AS.
const LABEL: u8 = 4;
const UL: u8 = U | LABEL;
const CL: u8 = C | LABEL;
const TL: u8 = T | LABEL;
const RL: u8 = R | LABEL;

macro_rules! keywords {
    ($($word:ident $class:ident,)*) => {
        /// A keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(non_camel_case_types, missing_docs, reason = "named as they are written")]
        #[repr(u16)]
        pub enum Keyword {
            /// A word that is none, or a token that is no word.
            NoKeyword,
            $($word,)*
        }

        /// All keywords but the first, in the order of their text.
        const ALL: &[(&str, Keyword, u8)] = &[
            $((stringify!($word), Keyword::$word, $class),)*
        ];
    };
}

keywords! {
    ABORT U, ABSENT U, ABSOLUTE U, ACCESS U, ACTION U, ADD U, ADMIN U, AFTER U, AGGREGATE U,
    ALL R, ALSO U, ALTER U, ALWAYS U, ANALYSE R, ANALYZE R, AND R, ANY R, ARRAY RL, AS RL,
    ASC R, ASENSITIVE U, ASSERTION U, ASSIGNMENT U, ASYMMETRIC R, AT U, ATOMIC U, ATTACH U,
    ATTRIBUTE U, AUTHORIZATION T, BACKWARD U, BEFORE U, BEGIN U, BETWEEN C, BIGINT C, BINARY T,
    BIT C, BOOLEAN C, BOTH R, BREADTH U, BY U, CACHE U, CALL U, CALLED U, CASCADE U, CASCADED U,
    CASE R, CAST R, CATALOG U, CHAIN U, CHAR CL, CHARACTER CL, CHARACTERISTICS U, CHECK R,
    CHECKPOINT U, CLASS U, CLOSE U, CLUSTER U, COALESCE C, COLLATE R, COLLATION T, COLUMN R,
    COLUMNS U, COMMENT U, COMMENTS U, COMMIT U, COMMITTED U, COMPRESSION U, CONCURRENTLY T,
    CONFIGURATION U, CONFLICT U, CONNECTION U, CONSTRAINT R, CONSTRAINTS U, CONTENT U,
    CONTINUE U, CONVERSION U, COPY U, COST U, CREATE RL, CROSS T, CSV U, CUBE U, CURRENT U,
    CURRENT_CATALOG R, CURRENT_DATE R, CURRENT_ROLE R, CURRENT_SCHEMA T, CURRENT_TIME R,
    CURRENT_TIMESTAMP R, CURRENT_USER R, CURSOR U, CYCLE U, DATA U, DATABASE U, DAY UL,
    DEALLOCATE U, DEC C, DECIMAL C, DECLARE U, DEFAULT R, DEFAULTS U, DEFERRABLE R, DEFERRED U,
    DEFINER U, DELETE U, DELIMITER U, DELIMITERS U, DEPENDS U, DEPTH U, DESC R, DETACH U,
    DICTIONARY U, DISABLE U, DISCARD U, DISTINCT R, DO R, DOCUMENT U, DOMAIN U, DOUBLE U,
    DROP U, EACH U, ELSE R, ENABLE U, ENCODING U, ENCRYPTED U, END R, ENUM U, ESCAPE U, EVENT U,
    EXCEPT RL, EXCLUDE U, EXCLUDING U, EXCLUSIVE U, EXECUTE U, EXISTS C, EXPLAIN U,
    EXPRESSION U, EXTENSION U, EXTERNAL U, EXTRACT C, FALSE R, FAMILY U, FETCH RL, FILTER UL,
    FINALIZE U, FIRST U, FLOAT C, FOLLOWING U, FOR RL, FORCE U, FOREIGN R, FORMAT U, FORWARD U,
    FREEZE T, FROM RL, FULL T, FUNCTION U, FUNCTIONS U, GENERATED U, GLOBAL U, GRANT RL,
    GRANTED U, GREATEST C, GROUP RL, GROUPING C, GROUPS U, HANDLER U, HAVING RL, HEADER U,
    HOLD U, HOUR UL, IDENTITY U, IF U, ILIKE T, IMMEDIATE U, IMMUTABLE U, IMPLICIT U, IMPORT U,
    IN R, INCLUDE U, INCLUDING U, INCREMENT U, INDENT U, INDEX U, INDEXES U, INHERIT U,
    INHERITS U, INITIALLY R, INLINE U, INNER T, INOUT C, INPUT U, INSENSITIVE U, INSERT U,
    INSTEAD U, INT C, INTEGER C, INTERSECT RL, INTERVAL C, INTO RL, INVOKER U, IS T, ISNULL TL,
    ISOLATION U, JOIN T, JSON U, JSON_ARRAY C, JSON_ARRAYAGG C, JSON_OBJECT C, JSON_OBJECTAGG C,
    KEY U, KEYS U, LABEL U, LANGUAGE U, LARGE U, LAST U, LATERAL R, LEADING R, LEAKPROOF U,
    LEAST C, LEFT T, LEVEL U, LIKE T, LIMIT RL, LISTEN U, LOAD U, LOCAL U, LOCALTIME R,
    LOCALTIMESTAMP R, LOCATION U, LOCK U, LOCKED U, LOGGED U, MAPPING U, MATCH U, MATCHED U,
    MATERIALIZED U, MAXVALUE U, MERGE U, METHOD U, MINUTE UL, MINVALUE U, MODE U, MONTH UL,
    MOVE U, NAME U, NAMES U, NATIONAL C, NATURAL T, NCHAR C, NEW U, NEXT U, NFC U, NFD U,
    NFKC U, NFKD U, NO U, NONE C, NORMALIZE C, NORMALIZED U, NOT R, NOTHING U, NOTIFY U,
    NOTNULL TL, NOWAIT U, NULL R, NULLIF C, NULLS U, NUMERIC C, OBJECT U, OF U, OFF U,
    OFFSET RL, OIDS U, OLD U, ON RL, ONLY R, OPERATOR U, OPTION U, OPTIONS U, OR R, ORDER RL,
    ORDINALITY U, OTHERS U, OUT C, OUTER T, OVER UL, OVERLAPS TL, OVERLAY C, OVERRIDING U,
    OWNED U, OWNER U, PARALLEL U, PARAMETER U, PARSER U, PARTIAL U, PARTITION U, PASSING U,
    PASSWORD U, PLACING R, PLANS U, POLICY U, POSITION C, PRECEDING U, PRECISION CL, PREPARE U,
    PREPARED U, PRESERVE U, PRIMARY R, PRIOR U, PRIVILEGES U, PROCEDURAL U, PROCEDURE U,
    PROCEDURES U, PROGRAM U, PUBLICATION U, QUOTE U, RANGE U, READ U, REAL C, REASSIGN U,
    RECHECK U, RECURSIVE U, REF U, REFERENCES R, REFERENCING U, REFRESH U, REINDEX U,
    RELATIVE U, RELEASE U, RENAME U, REPEATABLE U, REPLACE U, REPLICA U, RESET U, RESTART U,
    RESTRICT U, RETURN U, RETURNING RL, RETURNS U, REVOKE U, RIGHT T, ROLE U, ROLLBACK U,
    ROLLUP U, ROUTINE U, ROUTINES U, ROW C, ROWS U, RULE U, SAVEPOINT U, SCALAR U, SCHEMA U,
    SCHEMAS U, SCROLL U, SEARCH U, SECOND UL, SECURITY U, SELECT R, SEQUENCE U, SEQUENCES U,
    SERIALIZABLE U, SERVER U, SESSION U, SESSION_USER R, SET U, SETOF C, SETS U, SHARE U,
    SHOW U, SIMILAR T, SIMPLE U, SKIP U, SMALLINT C, SNAPSHOT U, SOME R, SQL U, STABLE U,
    STANDALONE U, START U, STATEMENT U, STATISTICS U, STDIN U, STDOUT U, STORAGE U, STORED U,
    STRICT U, STRIP U, SUBSCRIPTION U, SUBSTRING C, SUPPORT U, SYMMETRIC R, SYSID U, SYSTEM U,
    SYSTEM_USER R, TABLE R, TABLES U, TABLESAMPLE T, TABLESPACE U, TEMP U, TEMPLATE U,
    TEMPORARY U, TEXT U, THEN R, TIES U, TIME C, TIMESTAMP C, TO RL, TRAILING R, TRANSACTION U,
    TRANSFORM U, TREAT C, TRIGGER U, TRIM C, TRUE R, TRUNCATE U, TRUSTED U, TYPE U, TYPES U,
    UESCAPE U, UNBOUNDED U, UNCOMMITTED U, UNENCRYPTED U, UNION RL, UNIQUE R, UNKNOWN U,
    UNLISTEN U, UNLOGGED U, UNTIL U, UPDATE U, USER R, USING R, VACUUM U, VALID U, VALIDATE U,
    VALIDATOR U, VALUE U, VALUES C, VARCHAR C, VARIADIC R, VARYING UL, VERBOSE T, VERSION U,
    VIEW U, VIEWS U, VOLATILE U, WHEN R, WHERE RL, WHITESPACE U, WINDOW RL, WITH RL, WITHIN UL,
    WITHOUT UL, WORK U, WRAPPER U, WRITE U, XML U, XMLATTRIBUTES C, XMLCONCAT C, XMLELEMENT C,
    XMLEXISTS C, XMLFOREST C, XMLNAMESPACES C, XMLPARSE C, XMLPI C, XMLROOT C, XMLSERIALIZE C,
    XMLTABLE C, YEAR UL, YES U, ZONE U,
}

/// No keyword is longer.
const BYTES_MAX: usize = 17;

/// Where in [`ALL`] the words of each letter start.
const STARTS: [u16; 27] = {
    let mut starts = [0_u16; 27];
    let mut at = 0;
    let mut letter = 0;
    #[expect(clippy::indexing_slicing, reason = "runs when it is compiled")]
    while letter < 27 {
        while at < ALL.len() && ALL[at].0.as_bytes()[0] < b'A' + letter {
            at += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 500")]
        {
            starts[letter as usize] = at as u16;
        }
        letter += 1;
    }
    starts
};

impl Keyword {
    /// The keyword that an unquoted word is.
    pub fn of(word: &str) -> Keyword {
        let mut upper = [0_u8; BYTES_MAX];
        let Some(upper) = upper.get_mut(..word.len()) else {
            return Keyword::NoKeyword;
        };
        upper.copy_from_slice(word.as_bytes());
        upper.make_ascii_uppercase();
        let letter = upper.first().map_or(0, |first| first.wrapping_sub(b'A'));
        let start = |letter: u8| {
            STARTS
                .get(usize::from(letter))
                .map_or(0, |at| usize::from(*at))
        };
        if letter >= 26 {
            return Keyword::NoKeyword;
        }
        let words = ALL
            .get(start(letter)..start(letter + 1))
            .unwrap_or_default();
        match words.binary_search_by(|(word, _, _)| word.as_bytes().cmp(upper)) {
            Ok(at) => words
                .get(at)
                .map_or(Keyword::NoKeyword, |(_, word, _)| *word),
            Err(_) => Keyword::NoKeyword,
        }
    }

    fn flags(self) -> u8 {
        let at = (self as usize).wrapping_sub(1);
        ALL.get(at).map_or(0, |(_, _, class)| *class)
    }

    /// What it may name.
    pub fn class(self) -> Class {
        match self.flags() & 3 {
            U => Class::Unreserved,
            C => Class::ColumnName,
            T => Class::FunctionName,
            _ => Class::Reserved,
        }
    }

    /// Whether it names a result without AS.
    pub fn is_bare_label(self) -> bool {
        self.flags() & LABEL == 0
    }

    /// Whether it is a function that is called without parentheses, and reserved for that.
    pub fn is_bare_function(self) -> bool {
        matches!(
            self,
            Keyword::CURRENT_CATALOG
                | Keyword::CURRENT_DATE
                | Keyword::CURRENT_ROLE
                | Keyword::CURRENT_TIME
                | Keyword::CURRENT_TIMESTAMP
                | Keyword::CURRENT_USER
                | Keyword::LOCALTIME
                | Keyword::LOCALTIMESTAMP
                | Keyword::SESSION_USER
                | Keyword::SYSTEM_USER
                | Keyword::USER
        )
    }

    /// The word in upper case.
    pub fn as_str(self) -> &'static str {
        let at = (self as usize).wrapping_sub(1);
        ALL.get(at).map_or("", |(word, _, _)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, BYTES_MAX, Keyword};

    #[test]
    fn every_keyword_is_found_in_any_case() {
        for (index, (word, keyword, _)) in ALL.iter().enumerate() {
            assert!(word.len() <= BYTES_MAX, "{word}");
            assert_eq!(*keyword as usize, index + 1);
            assert_eq!(Keyword::of(word), *keyword);
            assert_eq!(Keyword::of(&word.to_lowercase()), *keyword);
            assert_eq!(keyword.as_str(), *word);
        }
        assert!(ALL.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for other in [
            "",
            "_",
            "selec",
            "selects",
            "z",
            "\u{e9}",
            "current_timestamps",
            "{",
        ] {
            assert_eq!(Keyword::of(other), Keyword::NoKeyword, "{other}");
        }
    }
}

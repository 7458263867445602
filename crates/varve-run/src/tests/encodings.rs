//! Columns that ask for a codec get it, and read back as they were.

use std::sync::Arc;

use varve_codec::tags::{
    TAG_ALP, TAG_CONSTANT, TAG_DELTA, TAG_FSST, TAG_PLAIN, TAG_SHARED_DICTIONARY, TAG_ZSTD,
    TAG_ZSTD_DUE,
};
use varve_codec::{
    Codec, CodecError, Stage, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming,
};
use varve_types::{Batch, Column, ColumnId, LogicalType, RunId, Value};

use crate::{ColumnEncoding, ColumnSpec, FinishedRun, RunSpec, RunWriter};

fn write(ty: LogicalType, encoding: ColumnEncoding, values: &[Value]) -> FinishedRun {
    writer(ty, encoding, values, None)
}

fn writer(
    ty: LogicalType,
    encoding: ColumnEncoding,
    values: &[Value],
    zstd: Option<Arc<dyn ZstdEncoders>>,
) -> FinishedRun {
    let column = |(id, ty)| ColumnSpec::values(ColumnId(id), ty);
    let spec = RunSpec {
        run: RunId(1),
        schema_version: 1,
        columns: [(1, LogicalType::Int8), (2, ty)].map(column).to_vec(),
        key_columns: vec![0],
        key_orders: Vec::new(),
        filter: false,
        filter_key_columns: None,
        encodings: vec![ColumnEncoding::default(), encoding],
    };
    let mut writer = RunWriter::new(spec).unwrap().with_zstd(zstd.as_ref());
    for (at, values) in values.chunks(1000).enumerate() {
        let first = at as i64 * 1000;
        let keys: Vec<Value> = (0..values.len() as i64)
            .map(|at| Value::Int8(first + at))
            .collect();
        let columns = vec![
            Arc::new(Column::from_values(LogicalType::Int8, &keys)),
            Arc::new(Column::from_values(ty, values)),
        ];
        writer.append(&Batch::new(columns, values.len())).unwrap();
    }
    writer.finish().unwrap()
}

fn named(codec: Codec) -> ColumnEncoding {
    ColumnEncoding {
        codec,
        ..ColumnEncoding::default()
    }
}

fn tags(run: &FinishedRun) -> u32 {
    run.head.stats()[1].codecs
}

#[test]
fn a_named_codec_is_used() {
    let doubles: Vec<Value> = (0..3000)
        .map(|n| Value::Float8(f64::from(n % 700) / 4.0))
        .collect();
    let run = write(LogicalType::Float8, named(Codec::Alp), &doubles);
    assert_eq!(tags(&run), 1 << TAG_ALP);
    let steps: Vec<Value> = (0..3000).map(|n| Value::Int8(n * n)).collect();
    let run = write(LogicalType::Int8, named(Codec::Delta), &steps);
    assert_eq!(tags(&run), 1 << TAG_DELTA);
    let texts: Vec<Value> = (0..3000)
        .map(|n| Value::text(format!("text {n}")))
        .collect();
    let run = write(LogicalType::Text, named(Codec::Fsst), &texts);
    assert_eq!(tags(&run), 1 << TAG_FSST);
    let plain = ColumnEncoding {
        stage: Stage::None,
        ..named(Codec::Plain)
    };
    let run = write(LogicalType::Text, plain, &texts);
    assert_eq!(tags(&run), 1 << TAG_PLAIN);
    assert!(run.head.stats()[1].stored_bytes >= run.head.stats()[1].encoded_bytes);
}

#[test]
fn what_a_codec_does_not_suit_is_written_in_the_best_one() {
    let few: Vec<Value> = (0..3000)
        .map(|n| Value::text(format!("state {}", n % 6)))
        .collect();
    let dictionary = named(Codec::SharedDictionary);
    assert_eq!(
        tags(&write(LogicalType::Text, dictionary, &few)),
        1 << TAG_SHARED_DICTIONARY
    );
    let many: Vec<Value> = (0..3000)
        .map(|n| Value::text(format!("user{n}@example.org")))
        .collect();
    assert_eq!(
        tags(&write(LogicalType::Text, dictionary, &many)) >> TAG_SHARED_DICTIONARY & 1,
        0
    );
    let nulls = vec![Value::Null; 3000];
    assert_eq!(
        tags(&write(LogicalType::Text, dictionary, &nulls)),
        1 << TAG_CONSTANT
    );
    let decimals: Vec<Value> = (0..3000).map(|_| Value::Null).collect();
    write(LogicalType::Numeric, named(Codec::Dictionary), &decimals);
}

/// Frames of raw blocks, in which nothing is compressed.
struct Stored;

impl ZstdEncoder for Stored {
    fn compress(
        &mut self,
        _: &[u8],
        level: u8,
        _: Option<&ZstdDictionary>,
        _: ZstdFraming,
    ) -> Result<Vec<u8>, CodecError> {
        assert_eq!(level, 9);
        // Nobody reads it: short, so that it is kept.
        Ok(vec![0; 4])
    }
}

struct Encoders;

impl ZstdEncoders for Encoders {
    fn encoder(&self) -> Box<dyn ZstdEncoder> {
        Box::new(Stored)
    }

    fn train(&self, _: &[u8], _: &[u32], _: usize) -> Result<Vec<u8>, CodecError> {
        Err(CodecError::Malformed("training samples"))
    }
}

#[test]
fn zstd_is_used_where_there_is_an_encoder_and_due_elsewhere() {
    let texts: Vec<Value> = (0..3000)
        .map(|n| Value::text(format!("text {n}")))
        .collect();
    let zstd = ColumnEncoding {
        zstd_level: Some(9),
        ..named(Codec::Zstd)
    };
    let run = write(LogicalType::Text, zstd, &texts);
    assert_eq!(tags(&run), 1 << TAG_PLAIN | 1 << TAG_ZSTD_DUE);
    let run = writer(LogicalType::Text, zstd, &texts, Some(Arc::new(Encoders)));
    assert_eq!(tags(&run), 1 << TAG_PLAIN | 1 << TAG_ZSTD);
    assert!(run.head.stats()[1].stored_bytes < 100);
}

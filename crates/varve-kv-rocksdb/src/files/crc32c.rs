//! CRC-32C, by which RocksDB's logs are checked.

/// Castagnoli's polynomial, bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// What a byte does to the sum when as many bytes as the table's number follow in the same step.
static TABLES: [[u32; 256]; 8] = tables();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which would refuse a wrong index"
)]
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0_u32; 256]; 8];
    let mut byte = 0_usize;
    let mut start = 0_u32;
    while byte < 256 {
        let mut sum = start;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (POLYNOMIAL * (sum & 1));
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
        start += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

fn of_byte(table: &[u32; 256], byte: u8) -> u32 {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The sum of the pieces, one after the other.
pub(super) fn crc32c(pieces: &[&[u8]]) -> u32 {
    let [t0, t1, t2, t3, t4, t5, t6, t7] = &TABLES;
    let mut sum = u32::MAX;
    for piece in pieces {
        let (eights, rest) = piece.as_chunks::<8>();
        for [b0, b1, b2, b3, b4, b5, b6, b7] in eights {
            let [s0, s1, s2, s3] = (sum ^ u32::from_le_bytes([*b0, *b1, *b2, *b3])).to_le_bytes();
            sum = of_byte(t7, s0)
                ^ of_byte(t6, s1)
                ^ of_byte(t5, s2)
                ^ of_byte(t4, s3)
                ^ of_byte(t3, *b4)
                ^ of_byte(t2, *b5)
                ^ of_byte(t1, *b6)
                ^ of_byte(t0, *b7);
        }
        for byte in rest {
            let [low, ..] = sum.to_le_bytes();
            sum = (sum >> 8) ^ of_byte(t0, low ^ byte);
        }
    }
    !sum
}

/// A sum as RocksDB stores it, so that sums of data that contains sums stay sound.
pub(super) fn masked(sum: u32) -> u32 {
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn sums_are_those_of_the_standard() {
        let ascending: Vec<u8> = (0..32).collect();
        let cases: [(&[u8], u32); 4] = [
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
            (&ascending, 0x46dd_794e),
            (b"123456789", 0xe306_9283),
        ];
        for (bytes, sum) in cases {
            assert_eq!(crc32c(&[bytes]), sum);
            let (a, b) = bytes.split_at(5);
            assert_eq!(crc32c(&[a, b]), sum);
        }
    }
}

//! MySQL's scripts on the engine.

#![allow(missing_docs, reason = "tests")]

use varve_dialect::Dialect::MySql;
use varve_tests_dialect::{load, refused, run, session};

const DUMP: &str = r#"/*M!999999\- enable the sandbox mode */
-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET TIME_ZONE='+00:00' */;
USE `shop`;
DROP TABLE IF EXISTS `line`;
CREATE TABLE `line` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `item_id` int(10) unsigned NOT NULL,
  `state` enum('new','sent','back') COLLATE utf8mb4_unicode_ci NOT NULL DEFAULT 'new' COMMENT 'where it is',
  `tags` set('a','b') DEFAULT NULL,
  `changed` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  `made` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `state` (`state`,`item_id`),
  KEY `item` (`item_id`) USING BTREE,
  FULLTEXT KEY `words` (`tags`),
  CONSTRAINT `line_item` FOREIGN KEY (`item_id`) REFERENCES `item` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=8 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci COMMENT='lines';
LOCK TABLES `line` WRITE;
/*!40000 ALTER TABLE `line` DISABLE KEYS */;
INSERT INTO `line` VALUES (1,1,'sent','a,b','2020-01-01 00:00:00','2020-01-01 00:00:00.125'),(2,1,'new',NULL,'2020-01-02 00:00:00',NULL);
/*!40000 ALTER TABLE `line` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE `item` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(20) NOT NULL DEFAULT '',
  `note` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`note`)),
  `is_sold` tinyint(1) DEFAULT 0,
  `rank` tinyint(1) DEFAULT NULL,
  `small` tinyint(3) unsigned DEFAULT 200,
  `raw` varbinary(8) DEFAULT NULL,
  `bits` bit(4) DEFAULT b'101',
  `day` date DEFAULT '0000-00-00',
  `price` decimal(8,2) unsigned DEFAULT NULL,
  `full` decimal(10,2) GENERATED ALWAYS AS (`price` * 2) VIRTUAL,
  PRIMARY KEY (`id`),
  KEY `item` (`name`(10))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `item` (`id`, `name`, `note`, `is_sold`, `rank`, `small`, `raw`, `bits`, `day`, `price`) VALUES
(1,'it\'s a \"b\"\n\\ \0x'/* \0 below */,'{"a": 1}',1,5,255,_binary '\0\'a',b'0011','0000-00-00',1.50);
/*!50001 CREATE VIEW `sold` AS SELECT 1 AS `id`, 1 AS `name` */;
/*!50001 DROP VIEW IF EXISTS `sold`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `sold` AS select `i`.`id` AS `id`,concat(`i`.`name`,'!') AS `name`,(`i`.`price` / 4) AS `part` from (`item` `i` join `line` `l` on(`l`.`item_id` = `i`.`id`)) where ((`i`.`is_sold` = 1) and (`l`.`state` like 'SENT')) */;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER item_name BEFORE INSERT ON item FOR EACH ROW
BEGIN
  SET NEW.name = concat(NEW.name, '?');
END */;;
DELIMITER ;
"#;

#[test]
fn a_dump_loads_with_its_rows_keys_views_and_triggers() {
    let mut db = session();
    let dump = DUMP.replace("\\0x'/* \\0 below */", "x'");
    let script = load(&mut db, &dump, MySql);
    assert!(
        script
            .remarks
            .iter()
            .any(|remark| remark.line == 17 && remark.message.contains("words"))
    );
    let rows = run(&mut db, "SELECT * FROM item");
    let row = "1|it's a \"b\"\n\\ x|{\"a\": 1}|t|5|255|\\x002761|3|NULL|1.50|3.00";
    assert_eq!(rows, [row]);
    assert_eq!(
        run(&mut db, "SELECT id, name, round(part, 3) FROM sold"),
        ["1|it's a \"b\"\n\\ x!|0.375"]
    );
    let rows = run(
        &mut db,
        "SELECT id, state, tags, made FROM line ORDER BY state",
    );
    assert_eq!(
        rows,
        ["2|new|NULL|NULL", "1|sent|a,b|2020-01-01 00:00:00.125"]
    );
    let added = "INSERT INTO line (item_id, state) VALUES (1, 'back') RETURNING id";
    assert_eq!(run(&mut db, added), ["8"]);
    assert_eq!(
        run(
            &mut db,
            "INSERT INTO item (name) VALUES ('x') RETURNING id, name, small, bits, is_sold"
        ),
        ["2|x?|200|5|f"]
    );
    run(&mut db, "UPDATE line SET tags = 'b' WHERE id = 1");
    let changed = "SELECT changed > '2021-01-01' FROM line ORDER BY id";
    assert_eq!(run(&mut db, changed), ["t", "f", "t"]);
    assert!(refused(&mut db, "INSERT INTO item (note) VALUES ('{')").contains("check"));
    assert!(refused(&mut db, "INSERT INTO line (item_id) VALUES (9)").contains("foreign key"));
}

#[test]
fn keys_that_come_later_are_made() {
    let mut db = session();
    let script = "CREATE TABLE `a` (`id` int(11) NOT NULL, `n` int(11) DEFAULT NULL) ENGINE=MyISAM;
        INSERT INTO `a` (`id`, `n`) VALUES (4, 1);
        ALTER TABLE `a` ADD PRIMARY KEY (`id`), ADD KEY `n` (`n`);
        ALTER TABLE `a` MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;
        INSERT INTO a SET n = 2, id = 5;
        INSERT INTO a VALUES (4, 9) ON DUPLICATE KEY UPDATE n = VALUES(n) + 1;
        INSERT IGNORE INTO a VALUES (4, 0x31);
        REPLACE INTO a VALUES (5, 6);";
    load(&mut db, script, MySql);
    assert_eq!(run(&mut db, "SELECT * FROM a ORDER BY id"), ["4|10", "5|6"]);
    assert_eq!(
        run(&mut db, "INSERT INTO a (n) VALUES (1) RETURNING id"),
        ["7"]
    );
}

BEGIN TRANSACTION;
CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, hint TEXT NOT NULL, scopes TEXT NOT NULL,
        relayers TEXT, created_at BIGINT NOT NULL, created_by TEXT NOT NULL, expires_at BIGINT,
        revoked_at BIGINT, revoked_by TEXT, last_used_at BIGINT
      );
CREATE TABLE attempts (
        transaction_id TEXT NOT NULL, nonce BIGINT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
        kind TEXT NOT NULL, revision INTEGER NOT NULL, gas_limit BIGINT NOT NULL,
        gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
        raw TEXT NOT NULL, r TEXT NOT NULL, s TEXT NOT NULL, v BIGINT NOT NULL,
        recorded_at BIGINT NOT NULL, recorded_at_block BIGINT NOT NULL,
        state TEXT NOT NULL, handed_at BIGINT, outcome TEXT, outcome_code TEXT, outcome_message TEXT, rejections TEXT, recovered INTEGER NOT NULL DEFAULT 0, presigned INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (transaction_id, nonce, position)
      );
INSERT INTO "attempts" VALUES('01a21575-0b14-76f2-9802-96a40fafced0',0,0,'0x1f1008234c1a1d1308548497e911183dc2b2573045fa347f2e695a2ed9898cf7','execute',0,21000,NULL,'3100000000','1100000000','0x02f86c827a6980844190ab0084b8c63f00825208949c26d622e5508b662eb585be551a9935f938899c0180c001a0346afe2dd70b21cd053f481fa47a30bf6b77bc9b1d040a5c877e8250d6dff87fa008d7b3c18f98559dd6dd31e8b441aa85d874df924bf8cec978636765239cb0ec','0x346afe2dd70b21cd053f481fa47a30bf6b77bc9b1d040a5c877e8250d6dff87f','0x08d7b3c18f98559dd6dd31e8b441aa85d874df924bf8cec978636765239cb0ec',1,1795656321859,0,'handed',1795656322101,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-0b14-76f2-9802-96a40fafced0',0,1,'0x6254212f1ffe497e73f3ac18097f9dd2678cf7d148883bd81ca951fd614cb08e','cancel',0,21000,NULL,'3500000000','1500000000','0x02f86c827a69808459682f0084d09dc30082520894f39fd6e51aad88f6f4ce6ab8827279cfffb922668080c080a0739fc285f248bdf187c7ce1b2301663f42c69d82ee41876d611787ae90c2add1a064c73b1545131fc975d2fe355fc35e92c2cca9079a49282e949e212d1ac9fe8a','0x739fc285f248bdf187c7ce1b2301663f42c69d82ee41876d611787ae90c2add1','0x64c73b1545131fc975d2fe355fc35e92c2cca9079a49282e949e212d1ac9fe8a',0,1795656322160,0,'handed',1795656322217,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-0cbf-7226-ab11-6824fadc7192',0,0,'0x0af605135a8f9acb24eead1e747012b20aee6313a017058a192dcf5da4f2a8f8','execute',0,21000,NULL,'3100000000','1100000000','0x02f86c827a6980844190ab0084b8c63f00825208942a5cb2fec05ea727ceb71670bdd6d2d5b5cba43a0280c001a05f228621db0446ac3192f3678631a701eb295dfc5f3c1b78c5ba3f42d4fe4619a077a59ba9723fdfdfcd3cb67fb21dd290fa2644d18e85801623b9c8fb8a70ff76','0x5f228621db0446ac3192f3678631a701eb295dfc5f3c1b78c5ba3f42d4fe4619','0x77a59ba9723fdfdfcd3cb67fb21dd290fa2644d18e85801623b9c8fb8a70ff76',1,1795656322246,0,'handed',1795656322278,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-0cf8-74c9-a5b3-ef5c520c1dc8',0,0,'0x2c5aa5de177d3c1a7e281bb7a000d8add5961744160581277672079acb25eb22','execute',0,21000,NULL,'3100000000','1100000000','0x02f86c827a6980844190ab0084b8c63f00825208947d34f4f930bd7acdd854be6bbf517d933f329af30380c001a0e1cb3f9a38e1705d76a2562c24081b39f330fdb4c69f4c01a252930a1e2a5229a0465b11070027a3c16cc11077cb2fb1e84c7f0a26a0c61eaded12b1b9a3fa6826','0xe1cb3f9a38e1705d76a2562c24081b39f330fdb4c69f4c01a252930a1e2a5229','0x465b11070027a3c16cc11077cb2fb1e84c7f0a26a0c61eaded12b1b9a3fa6826',1,1795656322302,0,'handed',1795656322326,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-0d38-70fc-a530-dad6d02a2ce3',0,0,'0x0f3dc15a9053c4080e3f8cee7d34d1b769a843129d2bd1266ad0ff35ca298939','execute',0,21000,NULL,'3100000000','1100000000','0x02f86c827a6980844190ab0084b8c63f00825208944189ff51d4e8270522a9788fa171a54b17c6e61b0580c080a0966bacf7e56dd549c6bdb310150daca7a1c97560bff45cc412edf64c6684ce4ca04a2767b10d595463140b42686319ef04474516bb6110688b469e87aaadc0ee56','0x966bacf7e56dd549c6bdb310150daca7a1c97560bff45cc412edf64c6684ce4c','0x4a2767b10d595463140b42686319ef04474516bb6110688b469e87aaadc0ee56',0,1795656322368,0,'handed',1795656322411,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-0cbf-7226-ab11-6824fadc7192',0,1,'0xe82bad7974b15ce2ccaa8d0f67853ff61fd8e62c18efdadbe8fa8b36d18eb5f2','cancel',0,21000,NULL,'3500000000','1500000000','0x02f86c827a69808459682f0084d09dc3008252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c001a06526607ad55951292c1c2a36440421085813c7fef6b730590a836ea5a6e0d222a062616b1aee7e0ea039366eaba9eff2b28e3ba635d5fc0ba63359f0563ca607b4','0x6526607ad55951292c1c2a36440421085813c7fef6b730590a836ea5a6e0d222','0x62616b1aee7e0ea039366eaba9eff2b28e3ba635d5fc0ba63359f0563ca607b4',1,1795656323942,0,'handed',1795656323962,'rejected','nonceTooLow','nonce too low',NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-141c-73fb-8cae-41e6c4143e5b',0,0,'0x505397f808e7a52638b1a0e2176923df178075fbc5f55b0545ced577baa39bf9','execute',0,21000,NULL,'1998308712','1100000000','0x02f86c827a6980844190ab0084771bc568825208943f48b8aa9aaece536088ea2d787ad60b886ae6490780c001a0dfe8ddc0e995b556c5af2b0b29dd834d5b3df484c2f91a3f83b2f865795f4a6da067d0e104868e46f61a1b121468bdaa1472f92965e4d24865d98c1806c47d47ee','0xdfe8ddc0e995b556c5af2b0b29dd834d5b3df484c2f91a3f83b2f865795f4a6d','0x67d0e104868e46f61a1b121468bdaa1472f92965e4d24865d98c1806c47d47ee',1,1795656324129,6,'handed',1795656324168,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-141c-73fb-8cae-41e6c4143e5b',0,1,'0xd8a59e501418e92a347c684e2834cbd298fee6fe09405b6dce34e629bb03128c','cancel',0,21000,NULL,'2398308712','1500000000','0x02f86c827a69808459682f00848ef349688252089415d34aaf54267db7d7c367839aaf71a00a2c6a658080c080a0d581f3bb17ef6561413c14d65d087dabbcfc58a7afbe49724f733c359d5f1e3da020fe3d5172b1b1a8f1b27608b4e69d1986265f5c9dd7d5201b0c8f0d9cb6f300','0xd581f3bb17ef6561413c14d65d087dabbcfc58a7afbe49724f733c359d5f1e3d','0x20fe3d5172b1b1a8f1b27608b4e69d1986265f5c9dd7d5201b0c8f0d9cb6f300',0,1795656324186,6,'handed',1795656324207,'accepted',NULL,NULL,NULL,0,0);
INSERT INTO "attempts" VALUES('01a21575-147c-7127-830d-c579a2e4110e',0,0,'0x4e719aac5d3f548bcced3eac113124c417d2fb54ee4fcf9434db04d2e888d2ee','execute',0,21000,NULL,'1998308712','1100000000','0x02f86c827a6980844190ab0084771bc56882520894031e4952ec13815a0183ea2c6856e78cdeb30af20880c080a0aad981fb68302d3a872485d48c9e59bd3c692e883191c778ae93acd46c11e879a024a2cdc5364a030112c2d6606f2778bd4cdbdbbc8ef5e1be18fa2fc2b44ecaba','0xaad981fb68302d3a872485d48c9e59bd3c692e883191c778ae93acd46c11e879','0x24a2cdc5364a030112c2d6606f2778bd4cdbdbbc8ef5e1be18fa2fc2b44ecaba',0,1795656324225,6,'handed',1795656324282,'accepted',NULL,NULL,NULL,0,0);
CREATE TABLE attempts_shrunk (
        relayer_id TEXT NOT NULL, chain_id BIGINT NOT NULL, address TEXT NOT NULL, below BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, chain_id, address)
      );
CREATE TABLE audit_count (id INTEGER PRIMARY KEY, count BIGINT NOT NULL);
INSERT INTO "audit_count" VALUES(1,14);
CREATE TABLE audit_log (id INTEGER PRIMARY KEY, last_at BIGINT NOT NULL, count BIGINT NOT NULL, entries TEXT NOT NULL);
INSERT INTO "audit_log" VALUES(1,1795656321812,1,'[{"at":1795656321812,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-2","address":"127.0.0.1","relayerId":"won","transactionId":"01a21575-0b14-76f2-9802-96a40fafced0"}]');
INSERT INTO "audit_log" VALUES(2,1795656322132,1,'[{"at":1795656322132,"outcome":"allowed","keyId":"administrator","operation":"cancelTransaction","requestId":"ec066ad6b3053bb9-3","address":"127.0.0.1","relayerId":"won","transactionId":"01a21575-0b14-76f2-9802-96a40fafced0"}]');
INSERT INTO "audit_log" VALUES(3,1795656322239,1,'[{"at":1795656322239,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-4","address":"127.0.0.1","relayerId":"lost","transactionId":"01a21575-0cbf-7226-ab11-6824fadc7192"}]');
INSERT INTO "audit_log" VALUES(4,1795656322296,1,'[{"at":1795656322296,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-5","address":"127.0.0.1","relayerId":"dropped","transactionId":"01a21575-0cf8-74c9-a5b3-ef5c520c1dc8"}]');
INSERT INTO "audit_log" VALUES(5,1795656322338,1,'[{"at":1795656322338,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-6","address":"127.0.0.1","relayerId":"dropped","transactionId":"01a21575-0d22-77fc-95e0-c54e2625627e"}]');
INSERT INTO "audit_log" VALUES(6,1795656322348,1,'[{"at":1795656322348,"outcome":"allowed","keyId":"administrator","operation":"cancelTransaction","requestId":"ec066ad6b3053bb9-7","address":"127.0.0.1","relayerId":"dropped","transactionId":"01a21575-0d22-77fc-95e0-c54e2625627e"}]');
INSERT INTO "audit_log" VALUES(7,1795656322360,1,'[{"at":1795656322360,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-8","address":"127.0.0.1","relayerId":"replaced","transactionId":"01a21575-0d38-70fc-a530-dad6d02a2ce3"}]');
INSERT INTO "audit_log" VALUES(8,1795656322426,1,'[{"at":1795656322426,"outcome":"refused","code":"INVALID_REQUEST","requestId":"ec066ad6b3053bb9-9","address":"127.0.0.1","operation":"replaceTransaction","keyId":"administrator","relayerId":"replaced","transactionId":"01a21575-0d38-70fc-a530-dad6d02a2ce3","count":1}]');
INSERT INTO "audit_log" VALUES(9,1795656323936,1,'[{"at":1795656323936,"outcome":"allowed","keyId":"administrator","operation":"cancelTransaction","requestId":"ec066ad6b3053bb9-a","address":"127.0.0.1","relayerId":"lost","transactionId":"01a21575-0cbf-7226-ab11-6824fadc7192"}]');
INSERT INTO "audit_log" VALUES(10,1795656324124,1,'[{"at":1795656324124,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-f","address":"127.0.0.1","relayerId":"racing","transactionId":"01a21575-141c-73fb-8cae-41e6c4143e5b"}]');
INSERT INTO "audit_log" VALUES(11,1795656324178,1,'[{"at":1795656324178,"outcome":"allowed","keyId":"administrator","operation":"cancelTransaction","requestId":"ec066ad6b3053bb9-g","address":"127.0.0.1","relayerId":"racing","transactionId":"01a21575-141c-73fb-8cae-41e6c4143e5b"}]');
INSERT INTO "audit_log" VALUES(12,1795656324220,1,'[{"at":1795656324220,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-h","address":"127.0.0.1","relayerId":"sent","transactionId":"01a21575-147c-7127-830d-c579a2e4110e"}]');
INSERT INTO "audit_log" VALUES(13,1795656324286,1,'[{"at":1795656324286,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-i","address":"127.0.0.1","relayerId":"short","transactionId":"01a21575-14be-7040-b6d9-25ec2afa5c92"}]');
INSERT INTO "audit_log" VALUES(14,1795656324294,1,'[{"at":1795656324294,"outcome":"allowed","keyId":"administrator","operation":"sendTransaction","requestId":"ec066ad6b3053bb9-j","address":"127.0.0.1","relayerId":"capped","transactionId":"01a21575-14c6-73dc-bbf1-49ee8a016121"}]');
CREATE TABLE bulk_cancellations (relayer_id TEXT PRIMARY KEY, through BIGINT NOT NULL, requested_at BIGINT NOT NULL, unwritten BIGINT NOT NULL DEFAULT 0);
CREATE TABLE daily_gas (
        relayer_id TEXT NOT NULL, day BIGINT NOT NULL, transactions BIGINT NOT NULL, no_ops BIGINT NOT NULL,
        unpriced BIGINT NOT NULL, gwei BIGINT NOT NULL, wei BIGINT NOT NULL, PRIMARY KEY (relayer_id, day)
      );
INSERT INTO "daily_gas" VALUES('won',20783,1,1,0,52500,0);
INSERT INTO "daily_gas" VALUES('dropped',20783,1,0,0,44100,0);
INSERT INTO "daily_gas" VALUES('replaced',20783,1,0,0,44100,0);
INSERT INTO "daily_gas" VALUES('lost',20783,1,0,0,44100,0);
CREATE TABLE dashboard_sessions (digest TEXT PRIMARY KEY, key_id TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL);
CREATE TABLE deliveries (
        notification_id TEXT NOT NULL, event_id BIGINT NOT NULL, transaction_id TEXT NOT NULL, state TEXT NOT NULL,
        due_at BIGINT, tries INTEGER NOT NULL, first_tried_at BIGINT, gave_up_at BIGINT, last_error TEXT,
        PRIMARY KEY (notification_id, event_id)
      );
CREATE TABLE delivery_queues (
        notification_id TEXT PRIMARY KEY, position BIGINT NOT NULL, waiting BIGINT NOT NULL,
        leased_by TEXT, leased_until BIGINT NOT NULL
      );
CREATE TABLE estate (id INTEGER PRIMARY KEY, revision BIGINT NOT NULL);
INSERT INTO "estate" VALUES(1,1);
CREATE TABLE former_relayers (
        id TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL,
        last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL, deleted_at BIGINT NOT NULL
      );
CREATE TABLE idempotency_keys (
        owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, transaction_ids TEXT NOT NULL,
        created_at BIGINT NOT NULL, PRIMARY KEY (owner, key)
      );
CREATE TABLE managed (kind TEXT NOT NULL, id TEXT NOT NULL, facts TEXT NOT NULL, sealed TEXT, revision BIGINT NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL);
INSERT INTO "migrations" VALUES('001-foundation',1795656321249);
INSERT INTO "migrations" VALUES('002-idempotency',1795656321249);
INSERT INTO "migrations" VALUES('003-access-lists',1795656321249);
INSERT INTO "migrations" VALUES('004-events',1795656321249);
INSERT INTO "migrations" VALUES('005-managed',1795656321249);
INSERT INTO "migrations" VALUES('006-api-keys',1795656321249);
INSERT INTO "migrations" VALUES('007-audit-log',1795656321249);
INSERT INTO "migrations" VALUES('008-deliveries',1795656321249);
INSERT INTO "migrations" VALUES('009-explained-below',1795656321249);
INSERT INTO "migrations" VALUES('010-room-in-indexes',1795656321249);
INSERT INTO "migrations" VALUES('011-l1-fee',1795656321249);
INSERT INTO "migrations" VALUES('012-suspected-no-ops',1795656321249);
INSERT INTO "migrations" VALUES('013-rejections',1795656321249);
INSERT INTO "migrations" VALUES('014-waits',1795656321249);
INSERT INTO "migrations" VALUES('015-unchecked-through',1795656321249);
INSERT INTO "migrations" VALUES('016-finality',1795656321249);
INSERT INTO "migrations" VALUES('017-created-by',1795656321249);
INSERT INTO "migrations" VALUES('018-unsettled',1795656321249);
INSERT INTO "migrations" VALUES('019-signatures',1795656321249);
INSERT INTO "migrations" VALUES('020-dashboard-sessions',1795656321249);
INSERT INTO "migrations" VALUES('021-daily-gas',1795656321249);
INSERT INTO "migrations" VALUES('022-presigned-no-ops',1795656321249);
INSERT INTO "migrations" VALUES('023-bulk-cancellations',1795656321249);
INSERT INTO "migrations" VALUES('024-retention',1795656321249);
INSERT INTO "migrations" VALUES('025-shrunk-attempts',1795656321249);
INSERT INTO "migrations" VALUES('026-bulk-counts',1795656321249);
INSERT INTO "migrations" VALUES('027-tally-buckets',1795656321249);
INSERT INTO "migrations" VALUES('028-audit-count',1795656321249);
INSERT INTO "migrations" VALUES('029-uncounted-relayers',1795656321249);
CREATE TABLE outbox (
        id INTEGER PRIMARY KEY, relayer_id TEXT NOT NULL, transaction_id TEXT NOT NULL,
        status TEXT NOT NULL, status_reason TEXT, terminal INTEGER NOT NULL, occurred_at BIGINT NOT NULL
      , kind TEXT NOT NULL DEFAULT 'update', nonce BIGINT, hash TEXT, revision INTEGER NOT NULL DEFAULT 0, sent_at BIGINT, notification_id TEXT, confirmed_at BIGINT);
INSERT INTO "outbox" VALUES(1,'won','01a21575-0b14-76f2-9802-96a40fafced0','sent',NULL,0,1795656321859,'update',0,'0x1f1008234c1a1d1308548497e911183dc2b2573045fa347f2e695a2ed9898cf7',0,1795656321859,NULL,NULL);
INSERT INTO "outbox" VALUES(2,'won','01a21575-0b14-76f2-9802-96a40fafced0','submitted',NULL,0,1795656322101,'update',0,'0x1f1008234c1a1d1308548497e911183dc2b2573045fa347f2e695a2ed9898cf7',0,1795656321859,NULL,NULL);
INSERT INTO "outbox" VALUES(3,'won','01a21575-0b14-76f2-9802-96a40fafced0','canceled','canceled on request',0,1795656322132,'update',0,'0x1f1008234c1a1d1308548497e911183dc2b2573045fa347f2e695a2ed9898cf7',0,1795656321859,NULL,NULL);
INSERT INTO "outbox" VALUES(4,'lost','01a21575-0cbf-7226-ab11-6824fadc7192','sent',NULL,0,1795656322246,'update',0,'0x0af605135a8f9acb24eead1e747012b20aee6313a017058a192dcf5da4f2a8f8',0,1795656322246,NULL,NULL);
INSERT INTO "outbox" VALUES(5,'lost','01a21575-0cbf-7226-ab11-6824fadc7192','submitted',NULL,0,1795656322278,'update',0,'0x0af605135a8f9acb24eead1e747012b20aee6313a017058a192dcf5da4f2a8f8',0,1795656322246,NULL,NULL);
INSERT INTO "outbox" VALUES(6,'dropped','01a21575-0cf8-74c9-a5b3-ef5c520c1dc8','sent',NULL,0,1795656322302,'update',0,'0x2c5aa5de177d3c1a7e281bb7a000d8add5961744160581277672079acb25eb22',0,1795656322302,NULL,NULL);
INSERT INTO "outbox" VALUES(7,'dropped','01a21575-0cf8-74c9-a5b3-ef5c520c1dc8','submitted',NULL,0,1795656322326,'update',0,'0x2c5aa5de177d3c1a7e281bb7a000d8add5961744160581277672079acb25eb22',0,1795656322302,NULL,NULL);
INSERT INTO "outbox" VALUES(8,'dropped','01a21575-0d22-77fc-95e0-c54e2625627e','canceled','canceled on request',1,1795656322348,'update',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(9,'replaced','01a21575-0d38-70fc-a530-dad6d02a2ce3','sent',NULL,0,1795656322368,'update',0,'0x0f3dc15a9053c4080e3f8cee7d34d1b769a843129d2bd1266ad0ff35ca298939',0,1795656322368,NULL,NULL);
INSERT INTO "outbox" VALUES(10,'replaced','01a21575-0d38-70fc-a530-dad6d02a2ce3','submitted',NULL,0,1795656322411,'update',0,'0x0f3dc15a9053c4080e3f8cee7d34d1b769a843129d2bd1266ad0ff35ca298939',0,1795656322368,NULL,NULL);
INSERT INTO "outbox" VALUES(11,'lost','01a21575-0cbf-7226-ab11-6824fadc7192','canceled','canceled on request',0,1795656323936,'update',0,'0x0af605135a8f9acb24eead1e747012b20aee6313a017058a192dcf5da4f2a8f8',0,1795656322246,NULL,NULL);
INSERT INTO "outbox" VALUES(12,'won','01a21575-0b14-76f2-9802-96a40fafced0','canceled','canceled: the no-op 0x6254212f1ffe497e73f3ac18097f9dd2678cf7d148883bd81ca951fd614cb08e took its nonce',1,1795656324025,'update',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(13,'dropped','01a21575-0cf8-74c9-a5b3-ef5c520c1dc8','confirmed',NULL,1,1795656324025,'update',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(14,'replaced','01a21575-0d38-70fc-a530-dad6d02a2ce3','confirmed',NULL,1,1795656324025,'update',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(15,'lost','01a21575-0cbf-7226-ab11-6824fadc7192','confirmed','the cancellation lost: the original was mined first',1,1795656324026,'update',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(16,'racing','01a21575-141c-73fb-8cae-41e6c4143e5b','sent',NULL,0,1795656324129,'update',0,'0x505397f808e7a52638b1a0e2176923df178075fbc5f55b0545ced577baa39bf9',0,1795656324129,NULL,NULL);
INSERT INTO "outbox" VALUES(17,'racing','01a21575-141c-73fb-8cae-41e6c4143e5b','submitted',NULL,0,1795656324168,'update',0,'0x505397f808e7a52638b1a0e2176923df178075fbc5f55b0545ced577baa39bf9',0,1795656324129,NULL,NULL);
INSERT INTO "outbox" VALUES(18,'racing','01a21575-141c-73fb-8cae-41e6c4143e5b','canceled','canceled on request',0,1795656324178,'update',0,'0x505397f808e7a52638b1a0e2176923df178075fbc5f55b0545ced577baa39bf9',0,1795656324129,NULL,NULL);
INSERT INTO "outbox" VALUES(19,'sent','01a21575-147c-7127-830d-c579a2e4110e','sent',NULL,0,1795656324225,'update',0,'0x4e719aac5d3f548bcced3eac113124c417d2fb54ee4fcf9434db04d2e888d2ee',0,1795656324225,NULL,NULL);
INSERT INTO "outbox" VALUES(20,'sent','01a21575-147c-7127-830d-c579a2e4110e','submitted',NULL,0,1795656324282,'update',0,'0x4e719aac5d3f548bcced3eac113124c417d2fb54ee4fcf9434db04d2e888d2ee',0,1795656324225,NULL,NULL);
INSERT INTO "outbox" VALUES(21,'short','01a21575-14be-7040-b6d9-25ec2afa5c92','pending','waits: the balance (10 wei) does not cover its value (9 wei) and gas beside the transactions in flight and cancel_reserve: top it up by 200000000000000 wei',0,1795656324289,'attention',NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO "outbox" VALUES(22,'capped','01a21575-14c6-73dc-bbf1-49ee8a016121','pending','waits: the base fee (up to 500000000 wei) is above gas_price_cap (1 wei): raise the cap, wait, or cancel it',0,1795656324303,'attention',NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE outbox_pruned (id INTEGER PRIMARY KEY, through BIGINT NOT NULL);
CREATE TABLE presigned_no_ops (
        relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, hash TEXT NOT NULL, gas_limit BIGINT NOT NULL,
        gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT, sealed TEXT, signed_at BIGINT NOT NULL,
        PRIMARY KEY (relayer_id, nonce, hash)
      );
CREATE TABLE probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
INSERT INTO "probe" VALUES(1,1795656321694);
CREATE TABLE relayers (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, network TEXT NOT NULL, chain_id BIGINT NOT NULL,
        address TEXT NOT NULL, signer_id TEXT NOT NULL, notification_id TEXT, paused INTEGER NOT NULL,
        policies TEXT NOT NULL, epoch BIGINT NOT NULL, last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL, explained_below BIGINT NOT NULL DEFAULT 0, unchecked_through BIGINT,
        UNIQUE (chain_id, address)
      );
INSERT INTO "relayers" VALUES('won','won','localhost',31337,'0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266','signer-won',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,1,1,NULL);
INSERT INTO "relayers" VALUES('lost','lost','localhost',31337,'0x70997970C51812dc3A010C7d01b50e0d17dc79C8','signer-lost',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,1,1,NULL);
INSERT INTO "relayers" VALUES('dropped','dropped','localhost',31337,'0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC','signer-dropped',NULL,0,'{"minBalance":"0","maxInFlight":1,"eip1559Pricing":true}',1,2,1,1,NULL);
INSERT INTO "relayers" VALUES('replaced','replaced','localhost',31337,'0x90F79bf6EB2c4f870365E785982E1f101E93b906','signer-replaced',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,1,1,NULL);
INSERT INTO "relayers" VALUES('racing','racing','localhost',31337,'0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65','signer-racing',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,0,0,NULL);
INSERT INTO "relayers" VALUES('sent','sent','localhost',31337,'0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc','signer-sent',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,0,0,NULL);
INSERT INTO "relayers" VALUES('short','short','localhost',31337,'0x976EA74026E726554dB657fA54763abd0C3a0aa9','signer-short',NULL,0,'{"minBalance":"0","eip1559Pricing":true}',1,1,0,0,NULL);
INSERT INTO "relayers" VALUES('capped','capped','localhost',31337,'0x14dC79964da2C08b23698B3D3cc7Ca32193d9955','signer-capped',NULL,0,'{"minBalance":"0","gasPriceCap":"1","eip1559Pricing":true}',1,1,0,0,NULL);
CREATE TABLE signatures (id INTEGER PRIMARY KEY, relayer_id TEXT NOT NULL, transaction_id TEXT, signer_id TEXT NOT NULL, key_version TEXT NOT NULL, digest TEXT NOT NULL, request_id TEXT, signed_at BIGINT NOT NULL);
CREATE TABLE tallies (relayer_id TEXT NOT NULL, status TEXT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (relayer_id, status));
INSERT INTO "tallies" VALUES('won','pending',0);
INSERT INTO "tallies" VALUES('won','sent',0);
INSERT INTO "tallies" VALUES('won','submitted',0);
INSERT INTO "tallies" VALUES('won','canceled',1);
INSERT INTO "tallies" VALUES('lost','pending',0);
INSERT INTO "tallies" VALUES('lost','sent',0);
INSERT INTO "tallies" VALUES('lost','submitted',0);
INSERT INTO "tallies" VALUES('dropped','pending',0);
INSERT INTO "tallies" VALUES('dropped','sent',0);
INSERT INTO "tallies" VALUES('dropped','submitted',0);
INSERT INTO "tallies" VALUES('dropped','canceled',1);
INSERT INTO "tallies" VALUES('replaced','pending',0);
INSERT INTO "tallies" VALUES('replaced','sent',0);
INSERT INTO "tallies" VALUES('replaced','submitted',0);
INSERT INTO "tallies" VALUES('lost','canceled',0);
INSERT INTO "tallies" VALUES('dropped','confirmed',1);
INSERT INTO "tallies" VALUES('replaced','confirmed',1);
INSERT INTO "tallies" VALUES('lost','confirmed',1);
INSERT INTO "tallies" VALUES('racing','pending',0);
INSERT INTO "tallies" VALUES('racing','sent',0);
INSERT INTO "tallies" VALUES('racing','submitted',0);
INSERT INTO "tallies" VALUES('racing','canceled',1);
INSERT INTO "tallies" VALUES('sent','pending',0);
INSERT INTO "tallies" VALUES('sent','sent',0);
INSERT INTO "tallies" VALUES('sent','submitted',1);
INSERT INTO "tallies" VALUES('short','pending',1);
INSERT INTO "tallies" VALUES('capped','pending',1);
CREATE TABLE tally_buckets (relayer_id TEXT NOT NULL, bucket BIGINT NOT NULL, status TEXT NOT NULL,
          count BIGINT NOT NULL, PRIMARY KEY (relayer_id, bucket, status)) WITHOUT ROWID;
INSERT INTO "tally_buckets" VALUES('capped',0,'pending',1);
INSERT INTO "tally_buckets" VALUES('dropped',0,'canceled',1);
INSERT INTO "tally_buckets" VALUES('dropped',0,'confirmed',1);
INSERT INTO "tally_buckets" VALUES('dropped',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('dropped',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('dropped',0,'submitted',0);
INSERT INTO "tally_buckets" VALUES('lost',0,'canceled',0);
INSERT INTO "tally_buckets" VALUES('lost',0,'confirmed',1);
INSERT INTO "tally_buckets" VALUES('lost',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('lost',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('lost',0,'submitted',0);
INSERT INTO "tally_buckets" VALUES('racing',0,'canceled',1);
INSERT INTO "tally_buckets" VALUES('racing',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('racing',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('racing',0,'submitted',0);
INSERT INTO "tally_buckets" VALUES('replaced',0,'confirmed',1);
INSERT INTO "tally_buckets" VALUES('replaced',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('replaced',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('replaced',0,'submitted',0);
INSERT INTO "tally_buckets" VALUES('sent',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('sent',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('sent',0,'submitted',1);
INSERT INTO "tally_buckets" VALUES('short',0,'pending',1);
INSERT INTO "tally_buckets" VALUES('won',0,'canceled',1);
INSERT INTO "tally_buckets" VALUES('won',0,'pending',0);
INSERT INTO "tally_buckets" VALUES('won',0,'sent',0);
INSERT INTO "tally_buckets" VALUES('won',0,'submitted',0);
CREATE TABLE transactions (
        id TEXT PRIMARY KEY, relayer_id TEXT NOT NULL, sequence BIGINT NOT NULL, version BIGINT NOT NULL,
        created_at BIGINT NOT NULL, origin TEXT NOT NULL,
        from_address TEXT NOT NULL, to_address TEXT, value TEXT NOT NULL, data TEXT NOT NULL, gas_limit BIGINT,
        pricing TEXT NOT NULL, speed TEXT, gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT,
        earlier TEXT, valid_until BIGINT,
        phase TEXT NOT NULL, open INTEGER NOT NULL, status TEXT NOT NULL, status_reason TEXT, nonce BIGINT,
        sent_at BIGINT, canceled_at BIGINT, cancel_origin TEXT, ended_at BIGINT, drop_reason TEXT,
        included_kind TEXT, included_hash TEXT, included_block BIGINT, included_block_hash TEXT,
        included_succeeded INTEGER, revert_reason TEXT, gas_used BIGINT, effective_gas_price TEXT
      , access_list TEXT, l1_fee TEXT, suspected_hash TEXT, suspected_nonce BIGINT, wait_condition TEXT, wait_text TEXT, confirmed_at BIGINT, created_by TEXT);
INSERT INTO "transactions" VALUES('01a21575-0b14-76f2-9802-96a40fafced0','won',1,7,1795656321812,'client','0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266','0x9C26d622e5508b662eB585bE551A9935F938899C','1','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'final',0,'canceled','canceled: the no-op 0x6254212f1ffe497e73f3ac18097f9dd2678cf7d148883bd81ca951fd614cb08e took its nonce',0,1795656321859,1795656322132,'request',1795656324025,NULL,'cancel','0x6254212f1ffe497e73f3ac18097f9dd2678cf7d148883bd81ca951fd614cb08e',1,'0x307172e8d1e54081c7d82513a3f11815530307d61f9a330aec751fa1e953d082',1,NULL,21000,'2500000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-0cbf-7226-ab11-6824fadc7192','lost',1,7,1795656322239,'client','0x70997970C51812dc3A010C7d01b50e0d17dc79C8','0x2a5Cb2FEC05eA727cEb71670Bdd6D2D5b5CBA43A','2','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'final',0,'confirmed','the cancellation lost: the original was mined first',0,1795656322246,1795656323936,'request',1795656324026,NULL,'execute','0x0af605135a8f9acb24eead1e747012b20aee6313a017058a192dcf5da4f2a8f8',1,'0x307172e8d1e54081c7d82513a3f11815530307d61f9a330aec751fa1e953d082',1,NULL,21000,'2100000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-0cf8-74c9-a5b3-ef5c520c1dc8','dropped',1,4,1795656322296,'client','0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC','0x7D34f4f930Bd7aCdd854Be6bbF517D933f329Af3','3','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'final',0,'confirmed',NULL,0,1795656322302,NULL,NULL,1795656324025,NULL,'execute','0x2c5aa5de177d3c1a7e281bb7a000d8add5961744160581277672079acb25eb22',1,'0x307172e8d1e54081c7d82513a3f11815530307d61f9a330aec751fa1e953d082',1,NULL,21000,'2100000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-0d22-77fc-95e0-c54e2625627e','dropped',2,2,1795656322338,'client','0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC','0xD976d6Cf2F6704B849bE231293bDE2569e6F11e5','4','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'dropped',0,'canceled','canceled on request',NULL,NULL,1795656322348,'request',1795656322348,'canceled',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-0d38-70fc-a530-dad6d02a2ce3','replaced',1,4,1795656322360,'client','0x90F79bf6EB2c4f870365E785982E1f101E93b906','0x4189ff51d4e8270522a9788fa171a54B17C6e61b','5','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'final',0,'confirmed',NULL,0,1795656322368,NULL,NULL,1795656324025,NULL,'execute','0x0f3dc15a9053c4080e3f8cee7d34d1b769a843129d2bd1266ad0ff35ca298939',1,'0x307172e8d1e54081c7d82513a3f11815530307d61f9a330aec751fa1e953d082',1,NULL,21000,'2100000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-141c-73fb-8cae-41e6c4143e5b','racing',1,6,1795656324124,'client','0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65','0x3f48b8Aa9AAEce536088ea2d787ad60B886Ae649','7','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'inFlight',1,'canceled','canceled on request',0,1795656324129,1795656324178,'request',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-147c-7127-830d-c579a2e4110e','sent',1,3,1795656324220,'client','0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc','0x031e4952eC13815A0183Ea2C6856E78cdEb30af2','8','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'inFlight',1,'submitted',NULL,0,1795656324225,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-14be-7040-b6d9-25ec2afa5c92','short',1,2,1795656324286,'client','0x976EA74026E726554dB657fA54763abd0C3a0aa9','0xa9D1691164609619E96747A72A5D7e6DBb4Cc765','9','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'queued',1,'pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'balance_short','waits: the balance (10 wei) does not cover its value (9 wei) and gas beside the transactions in flight and cancel_reserve: top it up by 200000000000000 wei',NULL,'administrator');
INSERT INTO "transactions" VALUES('01a21575-14c6-73dc-bbf1-49ee8a016121','capped',1,2,1795656324294,'client','0x14dC79964da2C08b23698B3D3cc7Ca32193d9955','0x71B905519200329879679a5d03B4ceC07cf52613','10','0x',21000,'speed','average',NULL,NULL,NULL,NULL,NULL,'queued',1,'pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'gas_price_cap','waits: the base fee (up to 500000000 wei) is above gas_price_cap (1 wei): raise the cap, wait, or cancel it',NULL,'administrator');
CREATE TABLE uncounted_relayers (relayer_id TEXT PRIMARY KEY, changes BIGINT NOT NULL);
CREATE UNIQUE INDEX transactions_sequence ON transactions (relayer_id, sequence);
CREATE INDEX transactions_status ON transactions (relayer_id, status, sequence);
CREATE INDEX transactions_expiring ON transactions (relayer_id, valid_until) WHERE phase = 'queued' AND valid_until IS NOT NULL;
CREATE UNIQUE INDEX transactions_open_nonce ON transactions (relayer_id, open, nonce) WHERE open = 1 AND nonce IS NOT NULL;
CREATE INDEX transactions_nonce ON transactions (relayer_id, nonce) WHERE nonce IS NOT NULL;
CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);
CREATE INDEX audit_log_count ON audit_log (count);
CREATE INDEX outbox_notification ON outbox (notification_id, id) WHERE notification_id IS NOT NULL;
CREATE INDEX deliveries_due ON deliveries (notification_id, due_at, event_id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_transaction ON deliveries (notification_id, transaction_id, event_id);
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_dead ON deliveries (notification_id, event_id) WHERE state = 'dead';
CREATE INDEX deliveries_gave_up ON deliveries (gave_up_at) WHERE gave_up_at IS NOT NULL;
CREATE INDEX transactions_suspected ON transactions (relayer_id, sequence) WHERE open = 1 AND suspected_hash IS NOT NULL;
CREATE INDEX transactions_in_progress ON transactions (relayer_id, open, confirmed_at, nonce) WHERE open = 1 AND nonce IS NOT NULL AND confirmed_at IS NULL;
CREATE INDEX transactions_displaced ON transactions (relayer_id, open, included_kind, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind = 'external';
CREATE INDEX transactions_unsettled ON transactions (relayer_id, included_block, nonce) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external';
CREATE INDEX transactions_unsettled_wait ON transactions (relayer_id, wait_condition, confirmed_at) WHERE open = 1 AND confirmed_at IS NOT NULL AND included_kind <> 'external';
CREATE INDEX signatures_transaction ON signatures (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX dashboard_sessions_key ON dashboard_sessions (key_id, used_at);
CREATE INDEX daily_gas_day ON daily_gas (day, relayer_id);
CREATE INDEX transactions_ended ON transactions (ended_at) WHERE open = 0;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log BEGIN UPDATE audit_count SET count = count + NEW.count WHERE id = 1; END;
CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log BEGIN UPDATE audit_count SET count = count - OLD.count WHERE id = 1; END;
COMMIT;
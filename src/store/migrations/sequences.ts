// The triggers by which earlier versions give no sequence out twice (migration 043). They have landed, and are never edited.
import type { Sql } from './migration.ts'

// Sessions of this version and later ones set it at their start.
const ofEarlier = `FOR EACH ROW WHEN (current_setting('rescind.reads_sequences', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION`

const newestOf = (id: string) =>
  `(SELECT sequence FROM transactions WHERE relayer_id = ${id} ORDER BY sequence DESC LIMIT 1)`

const creating = (name: string, body: string) => ({
  postgres: `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ ${body} $$`,
})

export const sequences: readonly Sql[] = [
  // It holds the lock of the relayer's row, as every writer of transactions does: the newest one stays that. Its buckets
  // count the sequence that it believes in.
  creating(
    'renumber_after_newest',
    `DECLARE
      newest BIGINT := ${newestOf('NEW.relayer_id')};
      believed BIGINT := NEW.sequence;
    BEGIN
      IF NEW.sequence <= newest THEN NEW.sequence := newest + 1; END IF;
      IF NEW.sequence / 16384 <> believed / 16384 THEN
        INSERT INTO uncounted_relayers (relayer_id, changes) VALUES (NEW.relayer_id, pg_current_xact_id()::text::bigint)
          ON CONFLICT (relayer_id) DO UPDATE SET changes = excluded.changes;
      END IF;
      RETURN NEW;
    END`,
  ),
  {
    postgres: `CREATE TRIGGER transactions_renumbered BEFORE INSERT ON transactions ${ofEarlier} renumber_after_newest()`,
  },
  // A version that goes by the transactions raises the floor itself where it removes the newest one.
  creating(
    'keep_removed_sequence',
    `BEGIN
      UPDATE relayers SET last_sequence = OLD.sequence WHERE id = OLD.relayer_id AND last_sequence < OLD.sequence;
      RETURN NULL;
    END`,
  ),
  {
    postgres: `CREATE TRIGGER transactions_sequence_kept AFTER DELETE ON transactions ${ofEarlier} keep_removed_sequence()`,
  },
  // It reads the row after its own write, and an owner of an earlier version begins its history check by one.
  creating(
    'raise_last_sequence',
    `BEGIN
      NEW.last_sequence := GREATEST(NEW.last_sequence, ${newestOf('NEW.id')});
      IF NEW.epoch > OLD.epoch AND OLD.unchecked_through IS NULL THEN NEW.unchecked_through := NEW.last_sequence; END IF;
      RETURN NEW;
    END`,
  ),
  { postgres: `CREATE TRIGGER relayers_raised BEFORE UPDATE ON relayers ${ofEarlier} raise_last_sequence()` },
  creating(
    'raise_former_sequence',
    `BEGIN
      NEW.last_sequence := GREATEST(NEW.last_sequence, ${newestOf('NEW.id')});
      RETURN NEW;
    END`,
  ),
  {
    postgres: `CREATE TRIGGER former_relayers_raised BEFORE INSERT OR UPDATE ON former_relayers ${ofEarlier} raise_former_sequence()`,
  },
]

// The bytes of a transaction's payloads, the replaced ones included. Neither database reads a long text to return its length.
import { sql } from 'kysely'

/** In a select of `transactions`. */
export const payloadBytes = sql<number>`(octet_length(data) + COALESCE(octet_length(earlier), 0) + COALESCE(octet_length(access_list), 0))`

// Escapes the characters of JSON text that a terminal obeys or reorders.

/**
 * Characters that JSON keeps: DEL, the C1 controls, Unicode's line ends and its marks of direction. They arrive in ids and
 * texts of unauthenticated clients.
 */
const controls = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The JSON value with these characters escaped. */
export function withoutControls(json: string): string {
  return json.replace(controls, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

import type { ParsedApiKey } from './api-key-format.js';

/** With one more, all are forgotten, and each is proven once more: the memory stays bounded, whatever calls. */
const MAXIMUM_KEYS = 50_000;

/** A key that was found to be real, and the record that proved it. */
export interface ProvenKey<Proof> extends ParsedApiKey {
  readonly provenBy: Proof;
}

/**
 * Agents' keys by their text, parsed and compared with their records before: the form, the checksum and the hash of a key took
 * 10 of the 47 µs of an empty poll. A key counts as proven only by the very record that proved it, so what forgets a record
 * (a revocation, a lost connection) needs not know of this memory.
 *
 * The text itself is kept, not a hash: each agent has a poll waiting, whose headers hold its key in memory anyway. People's
 * keys are not remembered.
 */
export class ProvenKeys<Proof> {
  private readonly keys = new Map<string, ProvenKey<Proof>>();

  find(text: string): ProvenKey<Proof> | undefined {
    return this.keys.get(text);
  }

  remember(text: string, key: ParsedApiKey, provenBy: Proof): void {
    if (key.kind !== 'agent') return;
    if (this.keys.size >= MAXIMUM_KEYS) this.keys.clear();
    const { kind, id, secret } = key;
    this.keys.set(text, { kind, id, secret, provenBy });
  }
}

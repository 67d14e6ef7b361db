import { UnreadableTextError } from './stored-text-cipher.js';

/** Texts that are not encrypted under the key in use. */
export interface Unsealed<Kept> {
  /** The next ones after this one, in a fixed order; undefined: the first ones. */
  readonly listAfter: (last: Kept | undefined) => Promise<readonly Kept[]>;
  /** Encrypts one anew and stores it. @throws UnreadableTextError */
  readonly reseal: (kept: Kept) => Promise<void>;
}

/** Encrypts everything anew. @returns how many could not be read */
export async function resealAll<Kept>({ listAfter, reseal }: Unsealed<Kept>): Promise<number> {
  let unreadable = 0;
  for (let batch = await listAfter(undefined); batch.length > 0; batch = await listAfter(batch.at(-1))) {
    for (const kept of batch) {
      try {
        await reseal(kept);
      } catch (error) {
        if (!(error instanceof UnreadableTextError)) throw error;
        unreadable++;
      }
    }
  }
  return unreadable;
}

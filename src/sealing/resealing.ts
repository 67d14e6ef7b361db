import { UnreadableTextError } from '../secrets/stored-text-cipher.js';

/** Stored texts of one kind, and how to encrypt those again that are not under the key in use. */
export interface Resealing<Kept> {
  /** The next texts under another key after this one, in a fixed order; undefined: the first ones. */
  readonly listAfter: (last: Kept | undefined) => Promise<readonly Kept[]>;
  /** Encrypts one again and stores it. @throws UnreadableTextError */
  readonly reseal: (kept: Kept) => Promise<void>;
}

export interface Resealed {
  readonly sealed: number;
  /** Texts whose key is missing: they stay as they are. */
  readonly unreadable: number;
}

/** Encrypts everything again. */
export async function resealAll<Kept>({ listAfter, reseal }: Resealing<Kept>): Promise<Resealed> {
  let sealed = 0;
  let unreadable = 0;
  for (let batch = await listAfter(undefined); batch.length > 0; batch = await listAfter(batch.at(-1))) {
    for (const kept of batch) {
      try {
        await reseal(kept);
        sealed++;
      } catch (error) {
        if (!(error instanceof UnreadableTextError)) throw error;
        unreadable++;
      }
    }
  }
  return { sealed, unreadable };
}

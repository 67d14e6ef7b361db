import { UnreadableTextError } from './stored-text-cipher.js';

/** Stored texts of one kind, and how to encrypt those anew that are not under the key in use. */
export interface Resealing<Kept> {
  /** The texts, as the log calls them. */
  readonly name: string;
  /** The beginning of texts under the key in use; null: there is no key, and the texts stay as they are. */
  readonly prefix: string | null;
  /** The next texts without that prefix after this one, in a fixed order; undefined: the first ones. */
  readonly listAfter: (prefix: string, last: Kept | undefined) => Promise<readonly Kept[]>;
  /** Encrypts one anew and stores it. @throws UnreadableTextError */
  readonly reseal: (kept: Kept) => Promise<void>;
}

interface Surroundings {
  readonly database: { onceOpen(work: () => Promise<void>, failed: (error: unknown) => void): void };
  readonly logger: { warn(facts: object, message: string): void };
}

/** Encrypts everything anew once the database is open. A text that can't be read stays as it is, and the log counts it. */
export function resealOnceOpen<Kept>({ database, logger }: Surroundings, resealing: Resealing<Kept>): void {
  const { name, prefix, listAfter, reseal } = resealing;
  if (prefix === null) return;
  database.onceOpen(
    async () => {
      const unreadable = await resealAll((last: Kept | undefined) => listAfter(prefix, last), reseal);
      if (unreadable > 0) logger.warn({ unreadable }, `${name} are sealed under a key that is gone`);
    },
    (error) => logger.warn({ err: error }, `${name} could not be sealed anew; the next start tries again`),
  );
}

/** @returns how many could not be read */
async function resealAll<Kept>(
  listAfter: (last: Kept | undefined) => Promise<readonly Kept[]>,
  reseal: (kept: Kept) => Promise<void>,
): Promise<number> {
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

import bcrypt from 'bcrypt';

/** What a login costs at least: one comparison at this cost, in one of libuv's threads. */
export async function comparePassword(password: string, hash: string): Promise<object> {
  return { matches: await bcrypt.compare(password, hash) };
}

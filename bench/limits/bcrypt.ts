import bcrypt from 'bcrypt';

/** Lower bound of a login's cost: one comparison at this cost, in one of libuv's threads. */
export async function comparePassword(password: string, hash: string): Promise<object> {
  return { matches: await bcrypt.compare(password, hash) };
}

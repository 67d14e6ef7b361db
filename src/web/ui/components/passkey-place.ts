/** An IP address as a host; browsers bind passkeys to names alone. */
const ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[[^\]]*\])$/;

/** Returns true if this page can use passkeys: it has a name, and the browser offers them there. */
export function canUsePasskeys({ hostname }: Pick<Location, 'hostname'> = location): boolean {
  return !ADDRESS.test(hostname) && 'PublicKeyCredential' in globalThis;
}

import { isIP } from 'node:net';
import type { Settings } from '../../config/settings.js';

/**
 * The site where passkeys are created and used: browsers bind each to this name, and say the origin with each
 * signature.
 */
export interface PasskeyPlace {
  readonly rpId: string;
  /** Returns true for the origins whose pages may use them. */
  readonly isOrigin: (origin: string) => boolean;
}

const LOCAL = 'localhost';

/**
 * The dashboard's place, by its address from outside. Without one it is the machine itself, on any port, as `npm start` serves
 * it.
 *
 * @returns null where browsers use no passkeys: at an IP address, or at an address that is not known
 */
export function passkeyPlace(
  settings: Pick<Settings, 'NODE_ENV' | 'PUBLIC_URL' | 'WEB_PUBLIC_URL'>,
): PasskeyPlace | null {
  const address = settings.WEB_PUBLIC_URL || settings.PUBLIC_URL;
  if (address === '') {
    if (settings.NODE_ENV === 'production') return null;
    return { rpId: LOCAL, isOrigin: (origin) => /^https?:\/\/localhost(:\d{1,5})?$/.test(origin) };
  }
  const { hostname, origin: own } = new URL(address);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  return { rpId: hostname, isOrigin: (origin) => origin === own };
}

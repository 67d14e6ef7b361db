import { Secret, TOTP } from 'otpauth';
import { name as issuer } from '../../config/version.js';

const STEP_SECONDS = 30;
const DIGITS = 6;
const CODE = /^\d{6}$/;
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Codes of the step before and after this one are good too: clocks differ, and typing takes time. */
const STEPS_BESIDE = 1;

/** A new secret in base32, as people type it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The address that an authenticator app reads from a QR code. @param label of the account */
export function otpauthUri(secret: string, label: string): string {
  return totpOf(secret, label).toString();
}

/**
 * The step whose code this is, of those that are good at this time.
 *
 * @param nowMs milliseconds since 1970
 * @returns null if it is the code of none
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  // The library throws for characters of several bytes.
  if (!CODE.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: STEPS_BESIDE });
  return delta === null ? null : Math.floor(nowMs / 1_000 / STEP_SECONDS) + delta;
}

function totpOf(secret: string, label?: string): TOTP {
  return new TOTP({
    issuer,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
  });
}

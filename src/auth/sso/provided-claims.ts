import { isEmail } from 'class-validator';
import { canonicalEmail } from '../../http/request-fields.js';
import { cutText, storable } from '../../http/storable-text.js';
import { whatIsSeen } from '../../http/seen-text.js';
import type { ProvidedIdentity } from './sso.types.js';

const MAXIMUM_EMAIL = 254;
const MAXIMUM_NAME = 200;
/** Maximum number of groups that are read; a provider's answer of 1 MiB has more. */
const MAXIMUM_GROUPS = 5_000;
/** Maximum number and length of the methods that are kept of a sign-in. */
const MAXIMUM_PROOFS = 50;
const MAXIMUM_PROOF = 300;

/** Claims of an ID token or of the provider's userinfo. */
export type Claims = Readonly<Record<string, unknown>>;

/** A name as accounts have it: a sign-in must not fail for it. */
const nameOf = (given: string) => whatIsSeen(storable(cutText(given.trim(), MAXIMUM_NAME))).trim();

export function personIn({
  email: given,
  email_verified: verified,
  name,
}: Claims): Pick<ProvidedIdentity, 'email' | 'isEmailVerified' | 'name'> {
  const email = typeof given === 'string' ? canonicalEmail(given) : '';
  const isWellFormed = isEmail(email) && email.length <= MAXIMUM_EMAIL;
  return {
    email: isWellFormed ? email : null,
    // Some providers send it as text.
    isEmailVerified: isWellFormed && (verified === true || verified === 'true'),
    name: (typeof name === 'string' && nameOf(name)) || null,
  };
}

/**
 * The strength of a sign-in: the claim `acr` as `acr:...`, and each method of `amr` as `amr:...`. Anything else in
 * these claims proves nothing.
 */
export function proofIn({ acr, amr }: Claims): string[] {
  const methods = Array.isArray(amr) ? amr.map((method) => `amr:${method}`) : [];
  const all = [...(typeof acr === 'string' ? [`acr:${acr}`] : []), ...methods];
  return [...new Set(all)].filter((text) => isKept(text)).slice(0, MAXIMUM_PROOFS);
}

const isKept = (text: string) => text.length <= MAXIMUM_PROOF && storable(text) === text;

/** The groups in a claim: a list of names, or one name. Anything else in it is no group. */
export function groupsIn(claim: unknown): string[] {
  const names = [claim].flat().filter((name) => typeof name === 'string');
  return [...new Set(names.filter((name) => storable(name) === name))].slice(0, MAXIMUM_GROUPS);
}

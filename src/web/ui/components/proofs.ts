/**
 * Acts that ask people for a second factor: one file, read with the first question, and not the one that all pages
 * share.
 */
export { SignInProof } from './sign-in-proof.js';
export { stepUp } from './step-up.js';

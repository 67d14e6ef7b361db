import { useRef } from 'react';

/** A random key. `crypto.randomUUID` exists only in a secure context, which a host in the local network is not. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * An `Idempotency-Key` for a form: it stays the same for the same payload, so that a retry after a lost reply creates
 * no duplicate. Call the second function after a success.
 */
export function useSubmissionKey(): [keyFor: (payload: unknown) => string, settle: () => void] {
  const last = useRef<{ payload: string; key: string } | null>(null);
  const keyFor = (payload: unknown) => {
    const text = JSON.stringify(payload) ?? '';
    if (last.current?.payload !== text) last.current = { payload: text, key: randomKey() };
    return last.current.key;
  };
  return [keyFor, () => (last.current = null)];
}

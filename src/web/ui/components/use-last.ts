import { useState } from 'react';

/** Returns the value, and the one before while there is none: a drawer shows it until it is closed. */
export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}

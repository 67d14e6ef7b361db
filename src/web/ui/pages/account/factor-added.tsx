import { useEffect, useEffectEvent } from 'react';
import type { AddedFactor } from '../../api/factors.js';
import { showDone } from '../../components/announce.js';
import { RecoveryCodes } from './recovery-codes.js';

interface FactorAddedProps {
  readonly added: AddedFactor;
  readonly onDone: () => void;
}

/** The end of a dialog that has added a factor: the recovery codes, which come with the first one. */
export function FactorAdded({ added: { factor, recovery_codes: codes }, onDone }: FactorAddedProps) {
  const tell = useEffectEvent(() => {
    showDone(`${factor.name} is added`);
    if (codes === null) onDone();
  });
  useEffect(() => tell(), []);
  return codes && <RecoveryCodes codes={codes} onDone={onDone} />;
}

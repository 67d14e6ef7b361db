import { useState } from 'react';

const KEY = 'approval-keys';
const OFF = 'off';

/** Whether single keys act on approvals. A person who speaks to the browser switches them off. */
export function useKeyChoice(): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(KEY) !== OFF);
  const choose = (wanted: boolean) => {
    if (wanted) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, OFF);
    setOn(wanted);
  };
  return [isOn, choose];
}

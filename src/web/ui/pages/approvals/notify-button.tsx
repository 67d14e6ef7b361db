import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import { beginNotifying, endNotifying, notifying } from '../../api/approval-notifications.js';
import { GuardedButton } from '../../components/guarded-button.js';

/** Switches the browser's notifications on, for which it asks the person, or off. */
export function NotifyButton() {
  const [now, setNow] = useState(notifying);
  if (now === 'unable') return null;
  const isOn = now === 'on';
  return (
    <GuardedButton
      variant="default"
      leftSection={isOn ? <IconBellOff size={16} aria-hidden /> : <IconBell size={16} aria-hidden />}
      refusal={
        now === 'refused'
          ? 'Notifications are blocked for this page: allow them in the browser’s settings'
          : null
      }
      onClick={() => (isOn ? setNow(endNotifying()) : void beginNotifying().then(setNow))}
    >
      {isOn ? 'Stop notifying me' : 'Notify me'}
    </GuardedButton>
  );
}

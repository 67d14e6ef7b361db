import { MaintenanceNotice } from './maintenance-notice.js';
import { useUser } from './require-session.js';
import { ResetNotice } from './reset-notice.js';

/** What people must know on whatever page they are. */
export function Notices() {
  const { password_reset_at: resetAt } = useUser();
  return (
    <>
      <MaintenanceNotice />
      {resetAt && <ResetNotice at={resetAt} />}
    </>
  );
}

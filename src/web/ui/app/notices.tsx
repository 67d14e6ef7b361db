import { MaintenanceNotice } from './maintenance-notice.js';
import { useUser } from './require-session.js';
import { ResetNotice } from './reset-notice.js';

/** Notices above every page: maintenance, and a reset of the person's password. */
export function Notices() {
  const { password_reset_at: resetAt } = useUser();
  return (
    <>
      <MaintenanceNotice />
      {resetAt && <ResetNotice at={resetAt} />}
    </>
  );
}

import { Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useMaintenance } from '../api/maintenance.js';
import { Notice } from '../components/notice.js';
import { TimeAgo } from '../components/time-ago.js';

/** Tells people why their changes are refused, before they make one. */
export function MaintenanceNotice() {
  const maintenance = useMaintenance();
  return (
    <div role="status">
      {maintenance?.is_on && (
        <Notice tone="warn" icon={IconTool} title="Maintenance: changes are refused for now">
          <Text size="sm">
            {maintenance.reason}
            {maintenance.until !== null && (
              <>
                {' '}
                It ends <TimeAgo at={maintenance.until} />.
              </>
            )}
          </Text>
        </Notice>
      )}
    </div>
  );
}

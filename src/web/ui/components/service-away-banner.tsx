import { useQueryClient } from '@tanstack/react-query';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { reportBack, useConnection } from '../api/connection.js';
import { request } from '../api/request.js';
import { useNoticeable } from './pending.js';
import classes from './service-away-banner.module.css';

const PROBE_MS = 2_000;
/** Time for a stream to resume before the banner is shown; milliseconds. */
const RESUMING_MS = 5_000;

/** Shows that the service is unavailable, and reads all data again when it is back. */
export function ServiceAwayBanner() {
  const { isAway, isStreamLost } = useConnection();
  const isAwayShown = useNoticeable(isAway);
  const isStreamShown = useNoticeable(isStreamLost, RESUMING_MS);
  useProbe(isAway);
  return (
    <div role="status">
      {(isAwayShown || isStreamShown) && (
        <p className={classes.banner}>
          <IconPlugConnectedX size={18} aria-hidden />
          {isAwayShown
            ? 'The service is unreachable. This page catches up when it is back.'
            : 'Live updates are interrupted. Reconnecting.'}
        </p>
      )}
    </div>
  );
}

function useProbe(isAway: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isAway) return undefined;
    const probe = async () => {
      try {
        const { database } = await request<{ database: string }>('GET', '/api/dashboard/health', undefined, {
          isProbe: true,
        });
        if (database !== 'ready') return;
        reportBack();
        await client.invalidateQueries();
      } catch {
        // still unavailable: tried again later
      }
    };
    const timer = setInterval(() => void probe(), PROBE_MS);
    return () => clearInterval(timer);
  }, [isAway, client]);
}

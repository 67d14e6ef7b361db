import { Text } from '@mantine/core';
import { useVersionStatistics } from '../../api/version-statistics.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import classes from './version-figures.module.css';
import { VERSION_MEASURES } from './version-words.js';

export interface VersionFiguresTableProps {
  readonly agentId: string;
  /** In the order of the columns. */
  readonly versions: readonly number[];
}

/** Runs, success, times and cost of config versions, side by side. */
export function VersionFiguresTable({ agentId, versions }: VersionFiguresTableProps) {
  const { data, error, refetch } = useVersionStatistics(agentId, versions);
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Pending rows={3} height={24} />;
  const columns = versions.map((version) => data.versions.find((it) => it.config_version === version)!);
  if (columns.every(({ runs }) => runs === 0)) {
    return (
      <Text size="sm" c="dimmed">
        Neither version had a run in the last 30 days.
      </Text>
    );
  }
  return (
    <table className={classes.table}>
      <caption>Runs of the last 30 days</caption>
      <thead>
        <tr>
          <td />
          {columns.map(({ config_version: version }) => (
            <th key={version} scope="col">
              Version {version}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {VERSION_MEASURES.map(({ label, text }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {columns.map((figures) => (
              <td key={figures.config_version}>{text(figures) ?? '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

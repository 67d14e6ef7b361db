import pg from 'pg';

export const TEMPLATE_DATABASE = 'control_plane_template';

/** @returns {{ host: string, port: number, user: string, database: string }} of the run's PostgreSQL */
export function clusterConnection() {
  return JSON.parse(process.env.TEST_CLUSTER ?? '{}');
}

/**
 * @template T
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withAdmin(work) {
  const client = new pg.Client(clusterConnection());
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

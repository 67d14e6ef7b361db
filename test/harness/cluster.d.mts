import type { Client } from 'pg';

export const TEMPLATE_DATABASE: string;
export function clusterConnection(): { host: string; port: number; user: string; database: string };
export function withAdmin<T>(work: (client: Client) => Promise<T>): Promise<T>;

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** One request, where its own cost does not matter. @returns undefined for an empty reply. @throws when it is answered with anything but a 2xx */
export async function callJson<Reply>(
  url: string,
  { method = 'GET', headers = {}, body }: Call,
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Reply;
}

const DEFAULT_SERVICE_URL = 'http://127.0.0.1:8000';

function metaContent(name: string): string | undefined {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
  // a placeholder that nobody has filled in: Vite's own server
  return content && !content.startsWith('__') ? content : undefined;
}

/** What a style element needs to be let in by the content security policy. */
export const styleNonce = (): string => metaContent('csp-nonce') ?? '';

/** Where agents reach the service: what `SERVICE_API_URL` is to be for `svc run`. */
export const serviceUrl = (): string => metaContent('service-url') ?? DEFAULT_SERVICE_URL;

const DEFAULT_SERVICE_URL = 'http://127.0.0.1:8000';

function metaContent(name: string): string | undefined {
  // there is no document when the build renders the frames of the pages
  const content = globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
  // Vite's development server leaves the placeholder unchanged
  return content && !content.startsWith('__') ? content : undefined;
}

/** Nonce of style elements, which the content security policy requires. */
export const styleNonce = (): string => metaContent('csp-nonce') ?? '';

/** The service's address for agents: `SERVICE_API_URL` of `svc run`. */
export const serviceUrl = (): string => metaContent('service-url') ?? DEFAULT_SERVICE_URL;

/** A path of this server, `/api/...` or a page's, as browsers need it outside the router: below the path of the dashboard's address. */
export const pathHere = (path: string): string => `${metaContent('base-path') ?? ''}${path}`;

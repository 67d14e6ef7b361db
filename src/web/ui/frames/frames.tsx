import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { cssVariables, theme } from '../app/theme.js';
import { HEADINGS, PageFrame } from './page-frame.js';
import { SignInFrame } from './sign-in-frame.js';

/** Pages that are the same with and without a session. Few people open them, so they have no frame. */
const OPEN_PAGES = ['/sign-in', '/sign-in/sso', '/sign-up', '/set-password', '/enrol'];

/**
 * The first content of each page by its path, which the web server sends within the document. `/agents/:id` is that of any
 * agent, and `*` that of all pages which have none of their own.
 */
export function frames() {
  const signedIn: Record<string, string> = {
    '*': rendered('/-', <PageFrame heading={null} />),
  };
  for (const [path, heading] of HEADINGS) signedIn[path] = rendered(path, <PageFrame heading={heading} />);
  for (const path of OPEN_PAGES) signedIn[path] = '';
  // other pages have none without the cookie: it ends with its token, which the session renews
  return { signedIn, signedOut: { '/sign-in': rendered('/sign-in', <SignInFrame />) } };
}

function rendered(path: string, frame: ReactNode): string {
  const html = renderToString(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => '__CSP_NONCE__'}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter initialEntries={[path]}>{frame}</MemoryRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return withStyleSheet(withRelativePaths(html));
}

/** The server puts its base path before addresses that begin with `./`. */
const withRelativePaths = (html: string) => html.replaceAll(/ (href|src)="\//g, ' $1="./');

/** Moves style attributes, which the content security policy forbids, to a style sheet with the reply's nonce. */
function withStyleSheet(html: string): string {
  const styles: string[] = [];
  const plain = html.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    const known = styles.indexOf(style);
    const place = known === -1 ? styles.push(style) - 1 : known;
    return ` data-style="${place}"`;
  });
  const rules = styles.map((style, place) => `[data-style="${place}"]{${unescaped(style)}}`);
  return `<style nonce="__CSP_NONCE__">${rules.join('')}</style>${plain}`;
}

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');

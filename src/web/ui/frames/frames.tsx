import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { cssVariables, theme } from '../app/theme.js';
import type { PageHeaderProps } from '../components/page-header.js';
import { HEADINGS, PageFrame } from './page-frame.js';
import { ENTRANCE_TITLES } from '../pages/sign-in/entrance.js';
import { EntranceFrame, SignInFrame } from './entrance-frames.js';

/**
 * The first content of each page by its path, which the web server sends within the document. `/agents/:id` is that of any
 * agent, and `*` that of all pages which have none of their own.
 *
 * @param linksTo the elements with which a browser loads a page's files at once, by the page's module
 */
export function frames(linksTo: (module: string) => string) {
  const entrances = Object.fromEntries(
    Object.entries(ENTRANCE_TITLES)
      .filter(([path]) => path !== '/sign-in')
      .map(([path, title]) => [path, rendered(path, <EntranceFrame title={title} />)]),
  );
  const signedIn: Record<string, string> = {
    ...entrances,
    '*': rendered('/-', <PageFrame heading={null} />),
  };
  for (const [path, heading] of HEADINGS)
    signedIn[path] = linksTo(moduleOf(path, heading)) + rendered(path, <PageFrame heading={heading} />);
  return { signedIn, signedOut: { ...entrances, '*': rendered('/sign-in', <SignInFrame />) } };
}

/** @returns `pages/agents/agents-page.tsx` for the list, `pages/agent/agent-page.tsx` for the page of one */
function moduleOf(path: string, { title, back }: PageHeaderProps): string {
  const name = path === '/' || back ? title.toLowerCase() : path.slice(1);
  return `pages/${name}/${name}-page.tsx`;
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

import { Button } from '@mantine/core';
import { serviceUrl } from './page-meta.js';

/** Opens the documentation of the API in another tab. */
export function DocsButton() {
  return (
    <Button component="a" variant="default" href={`${serviceUrl()}/docs`} target="_blank" rel="noreferrer">
      API documentation
    </Button>
  );
}

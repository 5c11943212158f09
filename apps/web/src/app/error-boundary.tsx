import { Alert, Button, Code, Container, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: {
    title: 'This screen has failed',
    explain: 'Nothing of yours is lost. Load the page again; if it comes back, tell who runs this service.',
    reload: 'Load again',
  },
  de: {
    title: 'Diese Ansicht ist abgebrochen',
    explain: 'Von Ihren Daten ist nichts verloren. Laden Sie die Seite neu; kommt es wieder, sagen Sie es dem Betreiber.',
    reload: 'Neu laden',
  },
});

const Failure = ({ error }: { readonly error: Error }): ReactNode => {
  const t = useTexts(texts);
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title={t.title} role="alert">
        <Stack align="flex-start">
          {t.explain}
          <Code block className="stranger">
            {error.message}
          </Code>
          <Button onClick={() => location.reload()}>{t.reload}</Button>
        </Stack>
      </Alert>
    </Container>
  );
};

interface Props {
  readonly children: ReactNode;
}

/** What is shown in place of a screen that throws. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <Failure error={this.state.error} />;
  }
}

import { Alert, Button, Code, Container, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';

const Failure = ({ error }: { readonly error: Error }): ReactNode => {
  const t = useTranslate();
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title={t('crash.title')} role="alert">
        <Stack align="flex-start">
          {t('crash.explain')}
          <Code block className="stranger">
            {error.message}
          </Code>
          <Button onClick={() => location.reload()}>{t('crash.reload')}</Button>
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

import { Alert, Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconFile, IconShare2, IconUpload } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { useUploads } from '../../uploads/uploads.tsx';
import { forgetSharedFiles, listSharedFiles, SHARED_LIMITS, type SharedFile } from '../../worker/shared-files.ts';

const Line = ({ file }: { readonly file: File }): ReactNode => {
  const format = useFormat();
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <IconFile size={20} color="var(--mantine-color-dimmed)" aria-hidden style={{ flex: 'none' }} />
      <Text size="sm" className="stranger" style={{ flex: 1 }}>
        {file.name}
      </Text>
      <Text size="sm" c="dimmed">
        {format.bytes(file.size)}
      </Text>
    </Group>
  );
};

/** Files that another app shared with Sheaf. Nothing is uploaded before the user says so: any page could have made the browser share them. */
const SharedFiles = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { may } = useSession();
  const [, navigate] = useLocation();
  const [{ left_out: leftOut }] = useAddressState(['left_out']);
  const queue = useUploads();
  const [shared, setShared] = useState<readonly SharedFile[]>();
  useEffect(() => {
    listSharedFiles().then(setShared, () => setShared([]));
  }, []);
  const leave = (): void => {
    void forgetSharedFiles((shared ?? []).map(({ key }) => key));
    navigate('/documents', { replace: true });
  };
  const upload = (): void => {
    queue.add((shared ?? []).map(({ file }) => file));
    leave();
  };
  return (
    <>
      <ScreenHeader title={t('sharedFiles.title')} hint={t('sharedFiles.hint')} />
      <Stack gap="md">
        {Number(leftOut) > 0 && (
          <Alert color="yellow" role="alert">
            {t('sharedFiles.leftOut', {
              count: Number(leftOut),
              files: format.number(SHARED_LIMITS.files),
              size: format.bytes(SHARED_LIMITS.bytes),
            })}
          </Alert>
        )}
        {shared === undefined && <Skeleton height={120} radius="md" />}
        {shared?.length === 0 && <EmptyState icon={IconShare2} title={t('sharedFiles.none')} hint={t('sharedFiles.noneHint')} />}
        {shared !== undefined && shared.length > 0 && (
          <Card withBorder padding="lg">
            <Stack gap="md">
              <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
                {shared.map(({ key, file }) => (
                  <Line key={key} file={file} />
                ))}
              </Stack>
              {!may('documents.create') && <Alert color="yellow">{t('sharedFiles.notAllowed')}</Alert>}
              <Group>
                {may('documents.create') && (
                  <Button leftSection={<IconUpload size={16} />} onClick={upload}>
                    {t('sharedFiles.upload', { count: shared.length })}
                  </Button>
                )}
                <Button variant="default" onClick={leave}>
                  {t('sharedFiles.discard')}
                </Button>
              </Group>
            </Stack>
          </Card>
        )}
      </Stack>
    </>
  );
};
export default SharedFiles;

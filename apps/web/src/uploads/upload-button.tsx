import { ActionIcon, Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { useLatePopup } from '../components/late-popup.tsx';
import { useTranslate } from '../language/language.tsx';
import { useUploads } from './uploads.tsx';

const loadMenu = () => import('./upload-menu.tsx').then(({ UploadMenu }) => UploadMenu);

/** Chooses files or a folder, or takes a photo. */
export const UploadButton = (): ReactNode => {
  const t = useTranslate();
  const queue = useUploads();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const wide = useLatePopup('menu', loadMenu);
  const narrow = useLatePopup('menu', loadMenu);
  const take = (event: ChangeEvent<HTMLInputElement>): void => {
    queue.add([...(event.currentTarget.files ?? [])].filter(({ name }) => !name.startsWith('.')));
    event.currentTarget.value = ''; // the same file may be chosen again
  };
  return (
    <>
      <input ref={files} type="file" multiple hidden onChange={take} data-testid="upload-files" />
      <input ref={folder} type="file" multiple hidden onChange={take} {...{ webkitdirectory: '' }} />
      <Button leftSection={<IconUpload size={16} />} visibleFrom="sm" {...wide.button}>
        {t('uploads.upload')}
      </Button>
      <ActionIcon hiddenFrom="sm" size="lg" aria-label={t('uploads.upload')} {...narrow.button}>
        <IconUpload size={18} />
      </ActionIcon>
      {[wide.popup, narrow.popup].map(
        (popup) =>
          popup !== undefined && (
            <popup.Popup
              key={popup.props.id}
              {...popup.props}
              onFiles={() => files.current?.click()}
              onFolder={() => folder.current?.click()}
            />
          ),
      )}
    </>
  );
};

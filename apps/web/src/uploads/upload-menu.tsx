import { Menu } from '@mantine/core';
import { IconCamera, IconFiles, IconFolder } from '@tabler/icons-react';
import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Anchor, type PopupProps } from '../components/late-popup.tsx';
import { useTranslate } from '../language/language.tsx';
import { hasCamera, photoName } from './camera.ts';
import { useUploads } from './uploads.tsx';

interface Props extends PopupProps {
  readonly onFiles: () => void;
  readonly onFolder: () => void;
}

export const UploadMenu = ({ anchor, onFiles, onFolder, ...popup }: Props): ReactNode => {
  const t = useTranslate();
  const queue = useUploads();
  const camera = useRef<HTMLInputElement>(null);
  const [canTakePhoto, setCanTakePhoto] = useState(false);
  useEffect(() => void hasCamera().then(setCanTakePhoto), []);
  const takePhotos = (event: ChangeEvent<HTMLInputElement>): void => {
    const photos = [...(event.currentTarget.files ?? [])];
    queue.add(photos.map((photo) => new File([photo], photoName(photo.name, new Date(photo.lastModified)), { type: photo.type })));
    event.currentTarget.value = '';
  };
  return (
    <>
      <input ref={camera} type="file" accept="image/*" capture="environment" hidden onChange={takePhotos} data-testid="upload-photo" />
      <Menu position="bottom-end" {...popup}>
        <Menu.Target>
          <Anchor element={anchor} />
        </Menu.Target>
        <Menu.Dropdown>
          {canTakePhoto && (
            <Menu.Item leftSection={<IconCamera size={16} />} onClick={() => camera.current?.click()}>
              {t('uploads.photo')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconFiles size={16} />} onClick={onFiles}>
            {t('uploads.files')}
          </Menu.Item>
          <Menu.Item leftSection={<IconFolder size={16} />} onClick={onFolder}>
            {t('uploads.folder')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
};

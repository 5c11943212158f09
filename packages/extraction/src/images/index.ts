export { PictureMaker } from './image-host.ts';

import { LabIcon } from '@jupyterlab/ui-components';

/** A speech bubble with `%%`, the mark of a cell, in it. */
export const chatIcon = new LabIcon({
  name: 'msgbook:chat',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <g class="jp-icon3 jp-icon-selectable" fill="#616161">
    <path d="M5 2h14a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3h-7.2L7 22v-4H5a3 3 0 0 1-3-3V5a3 3 0 0 1 3-3zm0 1.8A1.2 1.2 0 0 0 3.8 5v10A1.2 1.2 0 0 0 5 16.2h3.8v2l2.4-2H19a1.2 1.2 0 0 0 1.2-1.2V5A1.2 1.2 0 0 0 19 3.8z"/>
    <path d="M9.4 5.7l1.3.7-4.1 7.9-1.3-.7zM16.9 5.7l1.3.7-4.1 7.9-1.3-.7z"/>
    <circle cx="6.7" cy="7.6" r="1.5"/>
    <circle cx="9.6" cy="12.5" r="1.5"/>
    <circle cx="14.2" cy="7.6" r="1.5"/>
    <circle cx="17.1" cy="12.5" r="1.5"/>
  </g>
</svg>`
});

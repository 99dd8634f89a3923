/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PPOOLTOP_HTML_STYLE_H
#define PPOOLTOP_HTML_STYLE_H

extern const char html_style[];

#endif /* PPOOLTOP_HTML_STYLE_H */

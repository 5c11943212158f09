#!/bin/sh
# Becomes the command beside the link by which it was started, with the arguments given. Written by tool-launcher.ts.
. "$0.command"

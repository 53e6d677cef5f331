// For a program that needs no library but the system's: hwloc asks udev for the names of disks and network cards, which
// Sonde never shows, and does without where there is no udev. Debian has no static library of it.
#include <stddef.h>

struct udev;
struct udev_device;

struct udev* udev_new(void) { return NULL; }
struct udev* udev_unref(struct udev* udev) { return udev; }
struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem, const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return NULL;
}
const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device, (void)key;
  return NULL;
}
struct udev_device* udev_device_unref(struct udev_device* device) { return device; }

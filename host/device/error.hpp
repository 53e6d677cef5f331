#pragma once

#include "device/device.hpp"

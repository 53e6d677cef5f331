// The same as kernels/offsets.h, which explains it; OFFSET_SHIFT_ID is the constant's number. Addresses are 64 bits here
// since the index of an array is signed in SPIR-V: half of all offsets would lie before it.
layout(constant_id = OFFSET_SHIFT_ID) const uint OFFSET_SHIFT = 2;
#ifdef DESCRIPTORS
#define WORD_AT(chain, at) chain.data[(at) >> (2 - OFFSET_SHIFT)]
#define READ_ONLY_WORD_AT WORD_AT
#else
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict readonly buffer ReadOnlyWord { uint value; };
#define WORD_AT(chain, at) Word(uint64_t(chain) + (uint64_t(at) << OFFSET_SHIFT)).value
#define READ_ONLY_WORD_AT(chain, at) ReadOnlyWord(uint64_t(chain) + (uint64_t(at) << OFFSET_SHIFT)).value
#endif
